package wasi_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

// FuzzCalls makes calls with arbitrary arguments in an arbitrary memory: none
// panics, one that fails changes no memory, one that succeeds changes none
// but where its result belongs.
func FuzzCalls(f *testing.F) {
	f.Add([]byte("\x1a\x01\x00\x10\x00\x01\x00\x08\x00"), []byte("memory"))
	f.Add(bytes.Repeat([]byte{31, 3, 0, 1, 0, 1, 0, 4, 0}, 8), []byte("lib/deep/c"))
	f.Add(bytes.Repeat([]byte{37, 0, 0, 1, 0, 2, 0, 0x10, 0}, 8), []byte{8: 2, 16: 1})
	for i := range wasi.Funcs {
		f.Add(append([]byte{byte(i)}, bytes.Repeat([]byte{3, 0, 0, 1}, 5)...), []byte("lib"))
	}
	f.Fuzz(func(t *testing.T, program, memory []byte) {
		g := newGuest(t, wasi.Config{
			Stdin: bytes.NewReader(memory), Stdout: io.Discard, Files: tree(),
			Args: []string{"prog", "x"}, Env: []string{"A=b"}, Random: zeros{},
		})
		g.m.Bytes = g.m.Bytes[:4096] // small, so that arguments often fit
		copy(g.m.Bytes, memory)
		for calls := 0; len(program) > 0 && calls < 200; calls++ {
			fn := &wasi.Funcs[int(program[0])%len(wasi.Funcs)]
			program = program[1:]
			if len(fn.Results) == 0 {
				continue // proc_exit, which panics by design
			}
			args := make([]uint64, len(fn.Params))
			for i := range args {
				args[i], program = argument(program, fn.Params[i] == 0x7e)
			}
			g.check(fn, args)
		}
		if b, err := g.s.Save(); err == nil {
			if err := newGuest(t, wasi.Config{Files: tree()}).s.Restore(b); err != nil {
				t.Error(err)
			}
		}
	})
}

// argument takes two bytes: most values are small, some are at the ends of
// what the type holds.
func argument(program []byte, long bool) (uint64, []byte) {
	var b [2]byte
	n := copy(b[:], program)
	v := uint64(le.Uint16(b[:]))
	switch {
	case v >= 0xf000 && long:
		v |= ^uint64(0xffff)
	case v >= 0xf000:
		v |= 0xffff0000
	case v >= 0xe000 && long:
		v |= 1 << 62
	}
	return v, program[n:]
}

func (g *guest) check(fn *wasi.Func, args []uint64) {
	before := bytes.Clone(g.m.Bytes)
	areas := results(fn.Name, args, before)
	errno := g.call(fn.Name, args...)
	if errno != wasi.OK {
		areas = nil
	}
	after := bytes.Clone(g.m.Bytes)
	for _, a := range areas {
		if a.end() > uint64(len(after)) {
			g.t.Fatalf("%s%d succeeded with a result at %d-%d of %d", fn.Name, args, a.at, a.end(), len(after))
		}
		copy(after[a.at:a.end()], before[a.at:a.end()])
	}
	if !bytes.Equal(before, after) {
		g.t.Fatalf("%s%d: errno %d: memory changed outside of %v", fn.Name, args, errno, areas)
	}
}

type area struct{ at, size uint32 }

func (a area) end() uint64 { return uint64(a.at) + uint64(a.size) }

func (a area) String() string { return fmt.Sprintf("%d+%d", a.at, a.size) }

// results returns where a call may write.
func results(name string, p []uint64, m []byte) []area {
	at := func(i int, size uint32) area { return area{uint32(p[i]), size} }
	switch name {
	case "args_sizes_get", "environ_sizes_get":
		return []area{at(0, 4), at(1, 4)}
	case "args_get":
		return []area{at(0, 8), at(1, 7)}
	case "environ_get":
		return []area{at(0, 4), at(1, 4)}
	case "clock_res_get", "fd_prestat_get", "fd_tell":
		return []area{at(1, 8)}
	case "clock_time_get":
		return []area{at(2, 8)}
	case "fd_seek":
		return []area{at(3, 8)}
	case "fd_fdstat_get":
		return []area{at(1, 24)}
	case "fd_filestat_get":
		return []area{at(1, 64)}
	case "path_filestat_get":
		return []area{at(4, 64)}
	case "path_open":
		return []area{at(8, 4)}
	case "fd_write":
		return []area{at(3, 4)}
	case "fd_prestat_dir_name":
		return []area{at(1, 1)}
	case "fd_readdir":
		return []area{at(1, uint32(p[2])), at(4, 4)}
	case "random_get":
		return []area{at(0, uint32(p[1]))}
	case "poll_oneoff":
		return []area{at(1, 32*uint32(p[2])), at(3, 4)}
	case "fd_read":
		return append(buffers(p, m), at(3, 4))
	case "fd_pread":
		return append(buffers(p, m), at(4, 4))
	}
	return nil
}

// buffers returns those of a vector, as it was before the call.
func buffers(p []uint64, m []byte) (list []area) {
	for i := range min(p[2], wasi.MaxVector) {
		if e := p[1] + 8*i; e+8 <= uint64(len(m)) {
			if a := (area{le.Uint32(m[e:]), le.Uint32(m[e+4:])}); a.size > 0 {
				list = append(list, a)
			}
		}
	}
	return list
}
