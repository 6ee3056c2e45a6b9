package wasi_test

import (
	"encoding/binary"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tetratelabs/wazero/experimental/wazerotest"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

var le = binary.LittleEndian

// guest is an instance without code: a State and a memory of one page.
type guest struct {
	t testing.TB
	s *wasi.State
	m *wazerotest.Memory
}

func newGuest(t testing.TB, c wasi.Config) *guest {
	t.Helper()
	s, err := wasi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &guest{t, s, wazerotest.NewFixedMemory(1 << 16)}
}

const end = 1 << 16 // of the memory

func function(t testing.TB, name string) *wasi.Func {
	t.Helper()
	i := slices.IndexFunc(wasi.Funcs, func(f wasi.Func) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no function %s", name)
	}
	return &wasi.Funcs[i]
}

func (g *guest) call(name string, args ...uint64) wasi.Errno {
	g.t.Helper()
	f := function(g.t, name)
	if len(args) != len(f.Params) {
		g.t.Fatalf("%s has %d parameters", name, len(f.Params))
	}
	stack := append(slices.Clone(args), 0)
	f.Call(g.s, g.m, stack)
	return wasi.Errno(stack[0])
}

// want calls and expects an error number.
func (g *guest) want(want wasi.Errno, name string, args ...uint64) {
	g.t.Helper()
	if got := g.call(name, args...); got != want {
		g.t.Fatalf("%s%d: errno %d, want %d", name, args, got, want)
	}
}

func (g *guest) put(at int, s string)  { copy(g.m.Bytes[at:], s) }
func (g *guest) text(at, n int) string { return string(g.m.Bytes[at : at+n]) }
func (g *guest) u32(at int) uint32     { return le.Uint32(g.m.Bytes[at:]) }
func (g *guest) u64(at int) uint64     { return le.Uint64(g.m.Bytes[at:]) }

// vector puts addresses and lengths.
func (g *guest) vector(at int, values ...uint32) {
	for i, v := range values {
		le.PutUint32(g.m.Bytes[at+4*i:], v)
	}
}

const pathAt = 60_000 // where open puts a path

// open opens a path of the tree for reading.
func (g *guest) open(path string) uint64 {
	g.t.Helper()
	g.want(wasi.OK, "path_open", g.pathArgs(3, path, 0, rightRead)...)
	return uint64(g.u32(pathAt - 8))
}

const (
	rightRead  = 1 << 1
	rightWrite = 1 << 6
)

func (g *guest) pathArgs(fd uint64, path string, flags, rights uint64) []uint64 {
	g.put(pathAt, path)
	return []uint64{fd, 0, pathAt, uint64(len(path)), flags, rights, 0, 0, pathAt - 8}
}

// tree is what the tests with files read.
func tree() fstest.MapFS {
	at := time.Unix(1_000_000_000, 5)
	return fstest.MapFS{
		"hello.txt":    {Data: []byte("hello, world"), ModTime: at},
		"lib/a.py":     {Data: []byte("a = 1\n"), ModTime: at},
		"lib/b.py":     {Data: []byte("b = 2\n"), ModTime: at},
		"lib/deep/c":   {Data: []byte("c")},
		"pipe":         {Mode: fs.ModeNamedPipe},
		"out":          {Data: []byte("/etc"), Mode: fs.ModeSymlink},
		"old.txt":      {Data: []byte("old"), ModTime: time.Unix(-5, 0)},
		"lib/inner.py": {Data: []byte("a.py"), Mode: fs.ModeSymlink},
	}
}

func TestFuncs_AreAllOfPreview1(t *testing.T) {
	if len(wasi.Funcs) != 46 {
		t.Fatalf("%d functions", len(wasi.Funcs))
	}
	seen := map[string]bool{}
	for _, f := range wasi.Funcs {
		if seen[f.Name] {
			t.Errorf("%s is there twice", f.Name)
		}
		seen[f.Name] = true
		if want := 1; f.Name != "proc_exit" && len(f.Results) != want {
			t.Errorf("%s has %d results", f.Name, len(f.Results))
		}
	}
}

func TestNew_RefusesWhatAGuestCouldNotRead(t *testing.T) {
	for _, c := range []wasi.Config{
		{Args: []string{"a\x00b"}},
		{Env: []string{"A=\x00"}},
		{Args: []string{string(make([]byte, 0)), string(slices.Repeat([]byte("x"), wasi.MaxCall))}},
		{Files: fstest.MapFS{".": {Mode: 0}}},
	} {
		if _, err := wasi.New(c); err == nil {
			t.Errorf("%.60v was accepted", c)
		}
	}
}
