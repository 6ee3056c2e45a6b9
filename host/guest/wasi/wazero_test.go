package wasi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

// both calls the same function of this package and of wazero's
// implementation, in instances that see the same surroundings.
type both struct {
	t            *testing.T
	ours, theirs api.Module
	ctx          context.Context
	out, outRef  bytes.Buffer
}

func newBoth(t *testing.T) *both {
	t.Helper()
	b := &both{t: t}
	s := newGuest(t, wasi.Config{
		Stdout: &b.out, Stdin: strings.NewReader("some input"), Files: tree(),
		Args: []string{"prog", "arg"}, Env: []string{"A=b"}, Random: zeros{},
	}).s
	b.ctx = withState(t.Context(), s)
	var err error
	if b.ours, err = runtime(t, linkOurs).Instantiate(b.ctx, forwarder()); err != nil {
		t.Fatal(err)
	}
	theirs := runtime(t, func(ctx context.Context, r wazero.Runtime) error {
		_, err := wasi_snapshot_preview1.Instantiate(ctx, r)
		return err
	})
	config := wazero.NewModuleConfig().WithStdout(&b.outRef).WithStdin(strings.NewReader("some input")).WithFS(tree()).
		WithArgs("prog", "arg").WithEnv("A", "b").WithRandSource(zeros{})
	if b.theirs, err = theirs.InstantiateWithConfig(t.Context(), forwarder(), config); err != nil {
		t.Fatal(err)
	}
	return b
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// panicked stands for a call that wazero's implementation does not survive.
const panicked wasi.Errno = 0xffff

// call returns both error numbers. It puts path at 1000 first.
func (b *both) call(path, name string, args ...uint64) (ours, theirs wasi.Errno) {
	b.t.Helper()
	b.ours.Memory().WriteString(1000, path)
	b.theirs.Memory().WriteString(1000, path)
	o, err := b.ours.ExportedFunction(name).Call(b.ctx, args...)
	if err != nil {
		b.t.Fatalf("%s%d: %v", name, args, err)
	}
	r, err := b.theirs.ExportedFunction(name).Call(b.t.Context(), args...)
	if err != nil { // a panic in its host function
		return wasi.Errno(o[0]), panicked
	}
	return wasi.Errno(o[0]), wasi.Errno(r[0])
}

// Where the answers differ on purpose, and why.
const (
	rootOnly = "wazero takes stdio for directories without a name"
	asked    = "wazero refuses a larger buffer for the name, and fills a smaller one"
	noOffset = "wazero has no such function of stdio: libraries expect ESPIPE"
	readOnly = "wazero opens for reading whatever is asked: a write should fail where the file is opened"
	noChange = "wazero has no such function of a tree: libraries know EROFS"
	noLink   = "wazero looks no further than that it reads no links"
	noFS     = "wazero panics, for stdio has no file system"
	slash    = "wazero drops the slash, which says that it is a directory"
	links    = "wazero follows what the tree calls a link"
	itself   = "wazero takes no look at the link itself"
	pipes    = "wazero opens pipes, which may block"
	noSocket = "wazero looks for a socket first"
	flags    = "wazero has flags of directories, and none of stdio and of files in a tree"
	isDir    = "wazero knows the root from other directories"
	nothing  = "wazero does not look at what it reads nothing from"
	encoding = "wazero does not know bad UTF-8 from a bad path"
	oneErrno = "wazero looks at the size before the descriptor"
)

func TestAgainstWazero_Errnos(t *testing.T) {
	b := newBoth(t)
	type row struct {
		path, name string
		args       []uint64
		differs    string // why, if it does
	}
	a := func(args ...uint64) []uint64 { return args }
	rows := []row{
		{"", "args_sizes_get", a(0, 4), ""},
		{"", "args_sizes_get", a(0, end), ""},
		{"", "args_get", a(0, 100), ""},
		{"", "args_get", a(end, 100), ""},
		{"", "args_get", a(0, end-2), ""},
		{"", "environ_sizes_get", a(0, 4), ""},
		{"", "environ_get", a(0, 100), ""},
		{"", "clock_res_get", a(0, 0), ""},
		{"", "clock_res_get", a(1, end-1), ""},
		{"", "clock_res_get", a(2, 0), ""},
		{"", "clock_time_get", a(3, 0, 0), ""},
		{"", "clock_time_get", a(0, 0, end-7), ""},
		{"", "random_get", a(0, 10), ""},
		{"", "random_get", a(end-9, 10), ""},
		{"", "sched_yield", nil, ""},
		{"", "proc_raise", a(1), ""},
		{"", "fd_fdstat_set_rights", a(0, 0, 0), ""},
		{"", "sock_recv", a(0, 0, 0, 0, 0, 0), noSocket},
		{"", "sock_send", a(0, 0, 0, 0, 0), noSocket},
		{"", "sock_shutdown", a(0, 0), noSocket},
		{"", "sock_accept", a(0, 0, 0), noSocket},
		{"", "poll_oneoff", a(0, 100, 0, 200), ""},
		{"", "poll_oneoff", a(0, end, 1, 200), ""},
		{"", "poll_oneoff", a(end, 100, 1, 200), ""},
		{"", "fd_prestat_get", a(0, 0), rootOnly},
		{"", "fd_prestat_get", a(3, 0), ""},
		{"", "fd_prestat_dir_name", a(0, 0, 0), rootOnly},
		{"", "fd_prestat_dir_name", a(3, 0, 1), ""},
		{"", "fd_prestat_dir_name", a(3, 0, 0), asked},
		{"", "fd_prestat_dir_name", a(3, 0, 2), asked},
		{"", "fd_prestat_dir_name", a(3, end, 1), ""},
		{"", "fd_renumber", a(3, 5), ""},
		{"", "fd_renumber", a(1, 2), ""},
		{"", "fd_allocate", a(3, 1<<62, 1<<62), ""},
	}
	for _, of := range []struct {
		kind string
		fd   uint64
	}{{"in", 0}, {"out", 1}, {"root", 3}, {"dir", 4}, {"file", 5}, {"none", 42}, {"none", 1<<32 - 1}} {
		fd := of.fd
		each := func(name string, args []uint64, differs map[string]string) {
			rows = append(rows, row{"lib", name, append([]uint64{fd}, args...), differs[of.kind]})
		}
		stdio := func(why string) map[string]string { return map[string]string{"in": why, "out": why} }
		all := func(stdio, tree string) map[string]string {
			return map[string]string{"in": stdio, "out": stdio, "root": tree, "dir": tree, "file": tree}
		}
		each("fd_advise", a(0, 0, 0), nil)
		each("fd_advise", a(0, 0, 6), nil)
		each("fd_sync", nil, nil)
		each("fd_datasync", nil, nil)
		each("fd_fdstat_get", a(100), nil)
		each("fd_fdstat_set_flags", a(0), map[string]string{"dir": flags, "file": flags})
		each("fd_fdstat_set_flags", a(4), map[string]string{"in": flags, "out": flags, "dir": flags, "file": flags})
		each("fd_fdstat_set_flags", a(2), map[string]string{"none": flags})
		each("fd_filestat_get", a(100), nil)
		each("fd_filestat_set_size", a(1), all(noChange, noChange))
		each("fd_filestat_set_times", a(1, 1, 5), all(noFS, noChange))
		each("fd_read", a(200, 0, 100), map[string]string{"out": nothing, "root": nothing, "dir": nothing})
		each("fd_read", a(200, 1, 100), nil)
		each("fd_pread", a(200, 1, 0, 100), map[string]string{"in": noOffset, "out": noOffset, "dir": isDir})
		each("fd_write", a(200, 1, 100), map[string]string{"root": isDir})
		each("fd_pwrite", a(200, 1, 0, 100), map[string]string{"in": noOffset, "out": noOffset, "root": isDir})
		each("fd_seek", a(0, 0, 100), stdio(noOffset))
		each("fd_seek", a(0, 3, 100), stdio(noOffset))
		each("fd_tell", a(100), stdio(noOffset))
		each("fd_readdir", a(300, 500, 0, 100), nil)
		each("fd_readdir", a(300, 23, 0, 100), map[string]string{"in": oneErrno, "out": oneErrno, "file": oneErrno, "none": oneErrno})
		each("path_filestat_get", a(0, 1000, 3, 100), nil)
	}
	for _, path := range []string{
		"hello.txt", "lib", "lib/", "lib/a.py", ".", "./lib/../lib", "missing", "missing/", "hello.txt/x", "hello.txt/",
		"/hello.txt", "/", "..", "../x", "lib/../..", "a\x00b", "out", "out/x", "pipe", "\xff",
	} {
		n := uint64(len(path))
		why := map[string]string{"out": links, "out/x": links, "hello.txt/": slash, "pipe": pipes, "\xff": encoding}[path]
		statWhy := why
		switch path {
		case "pipe":
			statWhy = ""
		case "out":
			statWhy = itself
		}
		rows = append(rows,
			row{path, "path_filestat_get", a(3, 0, 1000, n, 100), statWhy},
			row{path, "path_open", a(3, 0, 1000, n, 0, rightRead, 0, 0, 100), why},
		)
	}
	rows = append(rows,
		row{"", "path_open", a(3, 0, 1000, 0, 0, rightRead, 0, 0, 100), ""},
		row{"lib", "path_open", a(3, 0, 1000, 3, 2, rightRead, 0, 0, 100), ""},
		row{"lib", "path_open", a(3, 0, 1000, 3, 3, rightRead, 0, 0, 100), ""},
		row{"lib", "path_open", a(3, 0, end, 3, 2, rightRead, 0, 0, 100), ""},
		row{"lib", "path_open", a(3, 0, 1000, 3, 2, rightRead, 0, 0, end), ""},
		row{"hello.txt", "path_open", a(3, 0, 1000, 9, 2, rightRead, 0, 0, 100), ""},
		row{"hello.txt", "path_open", a(3, 0, 1000, 9, 0, rightRead|rightWrite, 0, 0, 100), readOnly},
		row{"new", "path_open", a(3, 0, 1000, 3, 1, rightWrite, 0, 0, 100), readOnly},
		row{"lib", "path_create_directory", a(3, 1000, 3), noChange},
		row{"lib", "path_remove_directory", a(3, 1000, 3), noChange},
		row{"lib", "path_unlink_file", a(3, 1000, 3), noChange},
		row{"lib", "path_readlink", a(3, 1000, 3, 100, 50, 200), noLink},
		row{"lib", "path_rename", a(3, 1000, 3, 3, 1000, 3), noChange},
		row{"lib", "path_link", a(3, 0, 1000, 3, 3, 1000, 3), noChange},
		row{"lib", "path_symlink", a(1000, 3, 3, 1000, 3), noChange},
		row{"..", "path_unlink_file", a(3, 1000, 2), ""},
		row{"lib", "path_unlink_file", a(42, 1000, 3), ""},
		row{"lib", "path_unlink_file", a(0, 1000, 3), ""},
		row{"", "fd_close", a(42), ""},
		row{"", "fd_close", a(5), ""},
		row{"", "fd_close", a(5), ""},
		row{"", "fd_close", a(0), ""},
		row{"", "fd_read", a(0, 200, 1, 100), ""},
	)
	for _, path := range []string{"lib", "hello.txt"} { // descriptors 4 and 5
		if ours, theirs := b.call(path, "path_open", 3, 0, 1000, uint64(len(path)), 0, rightRead, 0, 0, 100); ours != 0 || theirs != 0 {
			t.Fatal(ours, theirs)
		}
	}
	for _, m := range []api.Memory{b.ours.Memory(), b.theirs.Memory()} {
		m.WriteUint32Le(200, 2000)
		m.WriteUint32Le(204, 8)
	}
	for _, r := range rows {
		ours, theirs := b.call(r.path, r.name, r.args...)
		if (ours != theirs) != (r.differs != "") {
			t.Errorf("%s%d %q: errno %d, wazero's %d, said to differ: %q", r.name, r.args, r.path, ours, theirs, r.differs)
		}
	}
}

func (b *both) sameBytes(at, n uint32, what string) {
	b.t.Helper()
	ours, _ := b.ours.Memory().Read(at, n)
	theirs, _ := b.theirs.Memory().Read(at, n)
	for i := range ours {
		if ours[i] != theirs[i] {
			last := min(i+32, len(ours))
			b.t.Fatalf("%s: at %d % x, wazero % x", what, at+uint32(i), ours[i:last], theirs[i:last])
		}
	}
}

func TestAgainstWazero_Results(t *testing.T) {
	b := newBoth(t)
	ok := func(path, name string, args ...uint64) {
		t.Helper()
		if ours, theirs := b.call(path, name, args...); ours != 0 || theirs != 0 {
			t.Errorf("%s%d %q: errnos %d and %d", name, args, path, ours, theirs)
		}
	}
	for _, list := range []string{"args", "environ"} {
		ok("", list+"_sizes_get", 0, 4)
		ok("", list+"_get", 8, 100)
		b.sameBytes(0, 200, list)
	}
	ok("", "fd_prestat_get", 3, 0)
	ok("", "fd_prestat_dir_name", 3, 8, 1)
	b.sameBytes(0, 16, "prestat")
	for _, m := range []api.Memory{b.ours.Memory(), b.theirs.Memory()} {
		for i, v := range []uint32{2000, 3, 0, 0, 2003, 4} {
			m.WriteUint32Le(200+4*uint32(i), v)
		}
		m.WriteString(2000, "written")
	}
	ok("", "fd_write", 1, 200, 3, 100)
	if b.out.String() != "written" || b.outRef.String() != "written" {
		t.Errorf("wrote %q and %q", b.out.String(), b.outRef.String())
	}
	ok("", "fd_read", 0, 200, 3, 100)
	b.sameBytes(0, 3000, "after a read of stdin")
	ok("hello.txt", "path_open", 3, 0, 1000, 9, 0, rightRead, 0, 0, 100)
	for whence, off := range []int64{io.SeekStart: 1, io.SeekCurrent: -2, io.SeekEnd: -1} {
		ok("", "fd_seek", 4, uint64(off), uint64(whence), 104)
		ok("", "fd_read", 4, 200, 3, 112)
		ok("", "fd_tell", 4, 120)
		ok("", "fd_pread", 4, 200, 3, 5, 128)
		b.sameBytes(0, 3000, fmt.Sprint("after reads, whence ", whence))
	}
	ok("", "fd_fdstat_get", 4, 100)
	b.sameBytes(100, 4, "type and flags of a file")
	ok("", "fd_fdstat_get", 3, 100)
	b.sameBytes(100, 4, "type and flags of the root")
	ok("", "fd_fdstat_get", 1, 100)
	ours, _ := b.ours.Memory().ReadByte(100)
	theirs, _ := b.theirs.Memory().ReadByte(100)
	if ours != 2 || theirs != 1 {
		t.Errorf("stdout is of type %d, in wazero of %d: ours is a terminal, written by line, theirs a block device", ours, theirs)
	}
	const device, inode = 8, 8 // which wazero leaves 0
	for _, path := range []string{"hello.txt", "lib", "lib/a.py"} {
		ok(path, "path_filestat_get", 3, 0, 1000, uint64(len(path)), 100)
		b.sameBytes(100+device+inode, 8+8, path+": type and links")
		if path != "lib" {
			b.sameBytes(100+32, 32, path+": size and times")
		}
	}
}

func TestAgainstWazero_Listings(t *testing.T) {
	b := newBoth(t)
	for size := uint64(24); size < 260; size++ {
		for range 2 { // the same again from the start
			b.compareListing(size)
		}
	}
}

func (b *both) compareListing(size uint64) {
	t := b.t
	t.Helper()
	for cookie := uint64(0); ; {
		ours, theirs := b.call("", "fd_readdir", 3, 3000, size, cookie, 0)
		if ours != theirs {
			t.Fatalf("size %d, cookie %d: errnos %d and %d", size, cookie, ours, theirs)
		}
		b.sameBytes(0, 4, fmt.Sprintf("size %d, cookie %d: bytes used", size, cookie))
		used, _ := b.ours.Memory().ReadUint32Le(0)
		mine, _ := b.ours.Memory().Read(3000, used)
		other, _ := b.theirs.Memory().Read(3000, used)
		a, r := dirents(mine), dirents(other)
		if len(a) != len(r) {
			t.Fatalf("size %d, cookie %d: %v, wazero %v", size, cookie, a, r)
		}
		for i := range a {
			r[i].inode = a[i].inode // wazero has none
			if a[i] != r[i] {
				t.Fatalf("size %d, cookie %d: %v, wazero %v", size, cookie, a[i], r[i])
			}
			cookie = a[i].next
		}
		if len(a) == 0 || uint64(used) < size {
			return
		}
	}
}
