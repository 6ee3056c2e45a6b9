package wasi_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

type dirent struct {
	next, inode uint64
	filetype    uint32
	name        string
}

// dirents takes apart what fd_readdir wrote, without a last one that was cut.
func dirents(b []byte) (list []dirent) {
	for len(b) >= 24 {
		n := int(le.Uint32(b[16:]))
		if len(b) < 24+n {
			break
		}
		list = append(list, dirent{le.Uint64(b), le.Uint64(b[8:]), le.Uint32(b[20:]), string(b[24 : 24+n])})
		b = b[24+n:]
	}
	return list
}

func TestReaddir_WithAnyBuffer(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	want := []string{"1 . 3", "2 .. 3", "3 hello.txt 4", "4 lib 3", "5 old.txt 4", "6 out 7", "7 pipe 0"}
	for size := uint64(24 + len("hello.txt")); size < 300; size++ {
		var got []string
		for cookie := uint64(0); ; {
			g.want(wasi.OK, "fd_readdir", 3, 1000, size, cookie, 0)
			used := g.u32(0)
			list := dirents(g.m.Bytes[1000:][:used])
			for _, d := range list {
				got = append(got, fmt.Sprint(d.next, " ", d.name, " ", d.filetype))
				cookie = d.next
				if d.inode == 0 {
					t.Errorf("%s has no inode", d.name)
				}
			}
			if uint64(used) < size {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("buffer of %d: %q", size, got)
		}
	}
}

func TestReaddir_FromAnyCookie(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	fd := g.open("lib")
	for _, cookie := range []uint64{4, 2, 5, 0, 6} {
		g.want(wasi.OK, "fd_readdir", fd, 1000, 1000, cookie, 0)
		list := dirents(g.m.Bytes[1000:][:g.u32(0)])
		if len(list) != 6-int(cookie) {
			t.Errorf("%d entries from %d", len(list), cookie)
		}
	}
	g.want(wasi.ENOENT, "fd_readdir", fd, 1000, 1000, 7, 0)
	g.want(wasi.ENOENT, "fd_readdir", fd, 1000, 1000, math.MaxUint64, 0)
	g.want(wasi.EINVAL, "fd_readdir", fd, 1000, 23, 0, 0)
	g.want(wasi.EFAULT, "fd_readdir", fd, end-23, 24, 0, 0)
	g.want(wasi.EFAULT, "fd_readdir", fd, 1000, math.MaxUint32, 0, 0)
	g.want(wasi.EFAULT, "fd_readdir", fd, 1000, 24, 0, end-3)
}

// An entry has the inode that stat finds, and ".." that of the parent.
func TestReaddir_InodesAreThoseOfStat(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	fd := g.open("lib")
	g.want(wasi.OK, "fd_readdir", fd, 1000, 1000, 0, 0)
	list := dirents(g.m.Bytes[1000:][:g.u32(0)])
	for i, path := range []string{"lib", ".", "lib/a.py", "lib/b.py"} {
		g.put(500, path)
		g.want(wasi.OK, "path_filestat_get", 3, 0, 500, uint64(len(path)), 0)
		if g.u64(8) != list[i].inode {
			t.Errorf("%s has inode %x, the entry %q says %x", path, g.u64(8), list[i].name, list[i].inode)
		}
	}
}
