package wasi_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

func TestPrestat_NamesTheRoot(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	g.want(wasi.OK, "fd_prestat_get", 3, 0)
	if g.u64(0) != 1<<32 {
		t.Fatalf("prestat %x", g.u64(0))
	}
	g.want(wasi.OK, "fd_prestat_dir_name", 3, end-1, 1)
	if got := g.text(end-1, 1); got != "/" {
		t.Fatalf("name %q", got)
	}
	g.want(wasi.ENAMETOOLONG, "fd_prestat_dir_name", 3, 0, 0)
	g.want(wasi.EFAULT, "fd_prestat_dir_name", 3, end, 1)
	g.want(wasi.EFAULT, "fd_prestat_get", 3, end-7)
	for _, fd := range []uint64{0, 1, 2, 4, math.MaxUint32} {
		g.want(wasi.EBADF, "fd_prestat_get", fd, 0)
		g.want(wasi.EBADF, "fd_prestat_dir_name", fd, 0, 1)
	}
}

// Row 52: there is no way out of the tree.
func TestPathOpen_Refusals(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	lib := g.open("lib")
	file := g.open("hello.txt")
	for _, test := range []struct {
		fd            uint64
		path          string
		flags, rights uint64
		want          wasi.Errno
	}{
		{3, "missing", 0, rightRead, wasi.ENOENT},
		{3, "hello.txt/x", 0, rightRead, wasi.ENOENT},
		{3, "hello.txt/", 0, rightRead, wasi.ENOTDIR},
		{3, "", 0, rightRead, wasi.EINVAL},
		{3, "/hello.txt", 0, rightRead, wasi.EPERM},
		{3, "/proc/self/environ", 0, rightRead, wasi.EPERM},
		{3, "..", 0, rightRead, wasi.EPERM},
		{3, "../etc/passwd", 0, rightRead, wasi.EPERM},
		{3, "lib/../../etc", 0, rightRead, wasi.EPERM},
		{lib, "../hello.txt", 0, rightRead, wasi.EPERM},
		{3, "out", 0, rightRead, wasi.ELOOP},
		{3, "out/passwd", 0, rightRead, wasi.ELOOP},
		{3, "lib/inner.py", 0, rightRead, wasi.ELOOP},
		{3, "pipe", 0, rightRead, wasi.EACCES},
		{3, "\xff", 0, rightRead, wasi.EILSEQ},
		{3, string(slices.Repeat([]byte("x"), 5000)), 0, rightRead, wasi.ENAMETOOLONG},
		{file, "x", 0, rightRead, wasi.ENOTDIR},
		{1, "x", 0, rightRead, wasi.ENOTDIR},
		{63, "x", 0, rightRead, wasi.EBADF},
		{math.MaxUint32, "x", 0, rightRead, wasi.EBADF},
		{3, "hello.txt", 0, rightWrite, wasi.EROFS},
		{3, "hello.txt", 8, rightRead, wasi.EROFS},
		{3, "new", 1, rightRead, wasi.EROFS},
		{3, "hello.txt", 1 | 4, rightRead, wasi.EEXIST},
		{3, "hello.txt", 2, rightRead, wasi.ENOTDIR},
		{3, "lib", 1 | 2, rightRead, wasi.EINVAL},
		{3, "lib", 0, rightWrite, wasi.EISDIR},
		{3, "lib", 8, rightRead, wasi.EISDIR},
		{3, "hello.txt", 1, rightRead, wasi.OK},
		{3, "./lib//../lib/deep/", 2, rightRead, wasi.OK},
		{lib, "deep/../a.py", 0, rightRead, wasi.OK},
		{3, ".", 2, rightRead, wasi.OK},
	} {
		if got := g.call("path_open", g.pathArgs(test.fd, test.path, test.flags, test.rights)...); got != test.want {
			t.Errorf("%d %.40q, flags %d, rights %d: errno %d, want %d", test.fd, test.path, test.flags, test.rights, got, test.want)
		}
	}
	g.want(wasi.EFAULT, "path_open", 3, 0, end-2, 3, 0, rightRead, 0, 0, 0)
	g.want(wasi.EFAULT, "path_open", 3, 0, math.MaxUint32, 2, 0, rightRead, 0, 0, 0)
	g.put(0, "lib")
	g.want(wasi.EFAULT, "path_open", 3, 0, 0, 3, 0, rightRead, 0, 0, end-3)
}

// Row 52 with the links of a real directory, which os.DirFS would follow.
func TestPathOpen_ADirectoryOfTheHost(t *testing.T) {
	dir, secret := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(secret, "key"), []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(dir, "plain"), []byte("public"), 0o600),
		os.Symlink(secret, filepath.Join(dir, "away")),
		os.Symlink(filepath.Join(secret, "key"), filepath.Join(dir, "key")),
		os.Symlink("plain", filepath.Join(dir, "inside")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	g := newGuest(t, wasi.Config{Files: os.DirFS(dir)})
	for path, want := range map[string]wasi.Errno{
		"plain": wasi.OK, "away": wasi.ELOOP, "away/key": wasi.ELOOP, "key": wasi.ELOOP, "inside": wasi.ELOOP, "plain/x": wasi.ENOENT,
		"../" + filepath.Base(secret) + "/key": wasi.EPERM, filepath.Join(secret, "key"): wasi.EPERM,
	} {
		if got := g.call("path_open", g.pathArgs(3, path, 0, rightRead)...); got != want {
			t.Errorf("%s: errno %d, want %d", path, got, want)
		}
		if want == wasi.EPERM {
			continue
		}
		g.put(pathAt, path)
		g.want(want, "path_filestat_get", 3, 1, pathAt, uint64(len(path)), 0)
	}
	g.vector(100, 200, 20)
	g.want(wasi.OK, "fd_read", 4, 100, 1, 0)
	if got := g.text(200, int(g.u32(0))); got != "public" {
		t.Errorf("read %q", got)
	}
}

func TestPathOpen_TakesTheLowestDescriptorUpToTheCap(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	for want := uint64(4); want < wasi.MaxFiles; want++ {
		if got := g.open("lib/a.py"); got != want {
			t.Fatalf("descriptor %d, want %d", got, want)
		}
	}
	g.want(wasi.EMFILE, "path_open", g.pathArgs(3, "lib", 0, rightRead)...)
	g.want(wasi.OK, "fd_close", 7)
	g.want(wasi.EBADF, "fd_close", 7)
	g.want(wasi.OK, "fd_close", 0)
	if a, b := g.open("lib"), g.open("lib"); a != 0 || b != 7 {
		t.Errorf("descriptors %d and %d", a, b)
	}
}

// onlyRead hides all of a file but what fs.File asks for.
type onlyRead struct{ fs.FS }

func (f onlyRead) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		return file, err
	}
	return struct{ fs.File }{file}, nil
}

func TestRead_Files(t *testing.T) {
	for name, files := range map[string]fs.FS{"at an offset": tree(), "from the start": onlyRead{tree()}} {
		t.Run(name, func(t *testing.T) { testReadFiles(t, newGuest(t, wasi.Config{Files: files})) })
	}
}

func testReadFiles(t *testing.T, g *guest) {
	fd := g.open("hello.txt")
	g.vector(100, 200, 3, 300, 4)
	read := func() string {
		t.Helper()
		g.want(wasi.OK, "fd_read", fd, 100, 2, 0)
		n := int(g.u32(0))
		return g.text(200, min(n, 3)) + g.text(300, max(n-3, 0))
	}
	tell := func() uint64 {
		t.Helper()
		g.want(wasi.OK, "fd_tell", fd, 8)
		return g.u64(8)
	}
	for i, want := range []string{"hello, ", "world", ""} {
		if got := read(); got != want {
			t.Fatalf("read %d: %q, want %q", i, got, want)
		}
	}
	if got := tell(); got != 12 {
		t.Errorf("at %d", got)
	}
	for _, seek := range []struct {
		off    int64
		whence uint64
		want   wasi.Errno
		at     uint64
	}{
		{7, 0, wasi.OK, 7}, {-2, 1, wasi.OK, 5}, {-1, 2, wasi.OK, 11}, {-12, 2, wasi.OK, 0}, {-13, 2, wasi.EINVAL, 0},
		{-1, 0, wasi.EINVAL, 0}, {math.MaxInt64, 0, wasi.OK, math.MaxInt64}, {1, 1, wasi.EINVAL, math.MaxInt64},
		{math.MinInt64, 1, wasi.EINVAL, math.MaxInt64}, {0, 3, wasi.EINVAL, math.MaxInt64}, {0, math.MaxUint32, wasi.EINVAL, math.MaxInt64},
	} {
		g.want(seek.want, "fd_seek", fd, uint64(seek.off), seek.whence, 8)
		if got := tell(); got != seek.at {
			t.Errorf("seek %d from %d: at %d, want %d", seek.off, seek.whence, got, seek.at)
		}
	}
	if got := read(); got != "" {
		t.Errorf("far behind the end: %q", got)
	}
	g.want(wasi.EFAULT, "fd_seek", fd, 0, 0, end-7)
	if got := tell(); got != math.MaxInt64 {
		t.Errorf("a seek that failed moved to %d", got)
	}
	g.want(wasi.OK, "fd_pread", fd, 100, 2, 7, 0)
	if got := g.text(200, 3) + g.text(300, 2); got != "world" || g.u32(0) != 5 {
		t.Errorf("pread: %q, %d", got, g.u32(0))
	}
	g.want(wasi.EINVAL, "fd_pread", fd, 100, 2, 1<<63, 0)
	g.want(wasi.EFAULT, "fd_pread", fd, 100, 2, 0, end-3)
	g.want(wasi.EBADF, "fd_write", fd, 100, 2, 0)
	g.want(wasi.EBADF, "fd_pwrite", fd, 100, 2, 0, 0)
}

func TestFD_WhatEachKindAnswers(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	const root, free = 3, 60
	file := g.open("hello.txt")
	g.vector(100, 200, 3)
	for _, test := range []struct {
		name                   string
		args                   []uint64 // behind the descriptor
		stdio, dir, file, free wasi.Errno
	}{
		{"fd_pread", []uint64{100, 1, 0, 0}, wasi.ESPIPE, wasi.EISDIR, wasi.OK, wasi.EBADF},
		{"fd_pwrite", []uint64{100, 1, 0, 0}, wasi.ESPIPE, wasi.EBADF, wasi.EBADF, wasi.EBADF},
		{"fd_seek", []uint64{0, 0, 0}, wasi.ESPIPE, wasi.EISDIR, wasi.OK, wasi.EBADF},
		{"fd_tell", []uint64{0}, wasi.ESPIPE, wasi.EISDIR, wasi.OK, wasi.EBADF},
		{"fd_sync", nil, wasi.OK, wasi.OK, wasi.OK, wasi.EBADF},
		{"fd_datasync", nil, wasi.OK, wasi.OK, wasi.OK, wasi.EBADF},
		{"fd_advise", []uint64{0, 0, 5}, wasi.OK, wasi.OK, wasi.OK, wasi.EBADF},
		{"fd_advise", []uint64{0, 0, 6}, wasi.EINVAL, wasi.EINVAL, wasi.EINVAL, wasi.EBADF},
		{"fd_allocate", []uint64{0, 9}, wasi.EINVAL, wasi.EROFS, wasi.EROFS, wasi.EBADF},
		{"fd_allocate", []uint64{1 << 62, 1 << 62}, wasi.EINVAL, wasi.EINVAL, wasi.EINVAL, wasi.EBADF},
		{"fd_filestat_set_size", []uint64{9}, wasi.EINVAL, wasi.EROFS, wasi.EROFS, wasi.EBADF},
		{"fd_filestat_set_times", []uint64{1, 1, 5}, wasi.EINVAL, wasi.EROFS, wasi.EROFS, wasi.EBADF},
		{"fd_fdstat_set_flags", []uint64{1 | 4}, wasi.OK, wasi.EISDIR, wasi.OK, wasi.EBADF},
		{"fd_fdstat_set_flags", []uint64{2}, wasi.EINVAL, wasi.EINVAL, wasi.EINVAL, wasi.EBADF},
		{"fd_readdir", []uint64{0, 100, 0, 200}, wasi.EBADF, wasi.OK, wasi.EBADF, wasi.EBADF},
	} {
		for _, of := range []struct {
			fd   uint64
			want wasi.Errno
		}{{0, test.stdio}, {1, test.stdio}, {2, test.stdio}, {root, test.dir}, {file, test.file}, {free, test.free}} {
			if got := g.call(test.name, append([]uint64{of.fd}, test.args...)...); got != of.want {
				t.Errorf("%s of %d: errno %d, want %d", test.name, of.fd, got, of.want)
			}
		}
	}
}

func TestRenumber_MovesFilesOfTheTreeAlone(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	a, b := g.open("lib/a.py"), g.open("lib/b.py")
	g.want(wasi.OK, "fd_renumber", a, b)
	g.vector(100, 200, 1)
	g.want(wasi.OK, "fd_read", b, 100, 1, 0)
	if got := g.text(200, 1); got != "a" {
		t.Errorf("reads %q", got)
	}
	g.want(wasi.EBADF, "fd_renumber", a, b)
	g.want(wasi.OK, "fd_renumber", b, 63)
	g.want(wasi.OK, "fd_renumber", 63, 63)
	g.want(wasi.EBADF, "fd_renumber", 63, 64)
	g.want(wasi.EBADF, "fd_renumber", 63, math.MaxUint32)
	for fd := range uint64(4) {
		g.want(wasi.ENOTSUP, "fd_renumber", 63, fd)
		g.want(wasi.ENOTSUP, "fd_renumber", fd, 63)
	}
}

func TestStat_OfEachKind(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	file, dir := g.open("hello.txt"), g.open("lib")
	for _, test := range []struct {
		fd, filetype, size, time uint64
		base                     uint64 // a right that it has
	}{
		{0, 2, 0, 0, rightRead}, {1, 2, 0, 0, rightWrite}, {2, 2, 0, 0, rightWrite},
		{3, 3, 0, 0, 1 << 13}, {dir, 3, 0, 0, 1 << 14}, {file, 4, 12, 1e18 + 5, rightRead},
	} {
		g.want(wasi.OK, "fd_filestat_get", test.fd, 0)
		if g.u64(16) != test.filetype || g.u64(24) != 1 || g.u64(32) != test.size || g.u64(48) != test.time {
			t.Errorf("%d: filestat % x", test.fd, g.m.Bytes[:64])
		}
		g.want(wasi.OK, "fd_fdstat_get", test.fd, 0)
		if uint64(g.m.Bytes[0]) != test.filetype || g.u64(8)&test.base == 0 {
			t.Errorf("%d: fdstat % x", test.fd, g.m.Bytes[:24])
		}
	}
	g.want(wasi.OK, "fd_fdstat_get", 1, 0)
	if g.u64(8)&(1<<2|1<<5) != 0 {
		t.Error("stdout can seek: runtimes would not take it for a terminal")
	}
	g.want(wasi.EBADF, "fd_fdstat_get", 60, 0)
	g.want(wasi.EBADF, "fd_filestat_get", 60, 0)
	g.want(wasi.EFAULT, "fd_fdstat_get", 0, end-23)
	g.want(wasi.EFAULT, "fd_filestat_get", 0, end-63)
}

func TestPathStat(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	inodes := map[uint64]string{}
	for _, test := range []struct {
		path                         string
		follow, filetype, size, time uint64
		want                         wasi.Errno
	}{
		{"hello.txt", 0, 4, 12, 1e18 + 5, wasi.OK}, {"lib", 0, 3, 0, 0, wasi.OK}, {".", 1, 3, 0, 0, wasi.OK},
		{"old.txt", 1, 4, 3, 0, wasi.OK}, {"out", 0, 7, 0, 0, wasi.OK}, {"out", 1, 0, 0, 0, wasi.ELOOP},
		{"out/x", 0, 0, 0, 0, wasi.ELOOP}, {"pipe", 0, 0, 0, 0, wasi.OK}, {"lib/", 0, 3, 0, 0, wasi.OK},
		{"hello.txt/", 0, 0, 0, 0, wasi.ENOTDIR}, {"missing", 0, 0, 0, 0, wasi.ENOENT}, {"../x", 0, 0, 0, 0, wasi.EPERM},
	} {
		g.put(1000, test.path)
		g.want(test.want, "path_filestat_get", 3, test.follow, 1000, uint64(len(test.path)), 0)
		if test.want != wasi.OK {
			continue
		}
		if g.u64(16) != test.filetype || g.u64(32) != test.size || g.u64(40) != test.time {
			t.Errorf("%s: filestat % x", test.path, g.m.Bytes[:64])
		}
		if had := inodes[g.u64(8)]; had != "" && had+"/" != test.path {
			t.Errorf("%s has the inode of %s", test.path, had)
		}
		inodes[g.u64(8)] = test.path
	}
	g.want(wasi.EFAULT, "path_filestat_get", 3, 0, 1000, 1, end-63)
}

func TestPathChanges_AreRefused(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	const at, n = 1000, 9
	g.put(at, "hello.txt")
	g.put(2000, "out")
	for _, test := range []struct {
		name string
		args []uint64
		fd   int // index of a descriptor among them
	}{
		{"path_create_directory", []uint64{3, at, n}, 0},
		{"path_remove_directory", []uint64{3, at, n}, 0},
		{"path_unlink_file", []uint64{3, at, n}, 0},
		{"path_filestat_set_times", []uint64{3, 0, at, n, 1, 1, 5}, 0},
		{"path_link", []uint64{3, 0, at, n, 3, at, n}, 0},
		{"path_link", []uint64{3, 0, at, n, 3, at, n}, 4},
		{"path_rename", []uint64{3, at, n, 3, at, n}, 0},
		{"path_rename", []uint64{3, at, n, 3, at, n}, 3},
		{"path_symlink", []uint64{at, n, 3, at, n}, 2},
	} {
		g.want(wasi.EROFS, test.name, test.args...)
		args := slices.Clone(test.args)
		args[test.fd] = 60
		g.want(wasi.EBADF, test.name, args...)
		args[test.fd] = 3
		for i, v := range args {
			if v == n { // the length of a path
				args[i] = end
				g.want(wasi.EFAULT, test.name, args...)
				args[i] = n
			}
		}
	}
	g.want(wasi.EINVAL, "path_readlink", 3, at, n, 0, 100, 200)
	g.want(wasi.ENOTSUP, "path_readlink", 3, 2000, 3, 0, 100, 200)
	g.want(wasi.ENOENT, "path_readlink", 3, at, 5, 0, 100, 200)
	g.want(wasi.EBADF, "path_readlink", 60, at, 5, 0, 100, 200)
}

// broken fails when a file is read.
type broken struct{ fs.FS }

func (f broken) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil || name == "." {
		return file, err
	}
	return brokenFile{file}, nil
}

type brokenFile struct{ fs.File }

func (brokenFile) Read([]byte) (int, error) { return 0, iotest.ErrTimeout }

func TestRead_FaultsOfTheTree(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: broken{tree()}})
	fd := g.open("hello.txt")
	g.vector(100, 200, 3)
	g.want(wasi.EIO, "fd_read", fd, 100, 1, 0)
	g.want(wasi.EIO, "fd_pread", fd, 100, 1, 0, 0)
}

// large is a file of a size that need not be there.
type large struct{ fs.FS }

func (f large) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil || name != "hello.txt" {
		return file, err
	}
	return largeFile{file}, nil
}

type largeFile struct{ fs.File }

func (largeFile) Read(p []byte) (int, error) { return len(p), nil }

func (f largeFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return largeInfo{info}, err
}

type largeInfo struct{ fs.FileInfo }

func (largeInfo) Size() int64 { return wasi.MaxHeld/2 + 1 }

func TestRead_HoldsNoMoreThanTheCap(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: large{fstest.MapFS{"hello.txt": {Data: []byte("x")}}}})
	a, b := g.open("hello.txt"), g.open("hello.txt")
	g.vector(100, 200, 3)
	g.want(wasi.OK, "fd_read", a, 100, 1, 0)
	g.want(wasi.ENOMEM, "fd_read", b, 100, 1, 0)
	g.want(wasi.OK, "fd_close", a)
	g.want(wasi.OK, "fd_read", b, 100, 1, 0)
}
