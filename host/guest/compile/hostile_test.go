package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/compile"
)

// These modules never get as far as the compiler behind admission, which
// bounds what makes them dangerous. Here they meet the compiler itself.

// function returns a module of one function (i32) -> () with a body.
func function(body []byte) []byte {
	body = append([]byte{0}, append(body, 0x0b)...) // no locals
	code := append([]byte{1}, append(uleb(len(body)), body...)...)
	wasm := []byte("\x00asm\x01\x00\x00\x00" + "\x01\x05\x01\x60\x01\x7f\x00" + "\x03\x02\x01\x00" + "\x0a")
	return append(append(wasm, uleb(len(code))...), code...)
}

func uleb(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// jumps is a br_table with n targets, each of them the block around it.
func jumps(n int) []byte {
	body := append([]byte{0x02, 0x40, 0x20, 0, 0x0e}, uleb(n)...)
	return function(append(append(body, make([]byte, n+1)...), 0x0b))
}

// nested is n blocks in each other.
func nested(n int) []byte {
	return function(append(bytes.Repeat([]byte{0x02, 0x40}, n), bytes.Repeat([]byte{0x0b}, n)...))
}

// claimed is a data section of five bytes that claims 2^31-1 entries.
func claimed() []byte {
	return []byte("\x00asm\x01\x00\x00\x00\x0b\x05\xff\xff\xff\xff\x07")
}

// straight is a function of n additions.
func straight(n int) []byte {
	body := bytes.Repeat([]byte{0x20, 0, 0x41, 3, 0x6a, 0x21, 0}, n)
	return function(body)
}

func TestLoad_HostileModulesEndTheChildAlone(t *testing.T) {
	for _, test := range []struct {
		name, want string
		wasm       []byte
		o          compile.Options
	}{
		{"a claim of 2^31-1 data segments", "compiling took more than 512 MiB of memory", claimed(), compile.Options{Memory: 512 << 20}},
		{"a br_table with 200,000 targets", "compiling took more than 1s of CPU time", jumps(200_000), compile.Options{Timeout: time.Second}},
		{"40,000 nested blocks", "compiling took more than 1s of CPU time", nested(40_000), compile.Options{Timeout: time.Second}},
		{"a function of 700 KB", "compiling took more than 32 MiB of memory", straight(100_000), compile.Options{Memory: 32 << 20}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Dir = t.TempDir()
			c := open(t, test.o)
			before, began := resident(t), time.Now()
			err := load(t.Context(), c, test.wasm)
			took := time.Since(began)
			var faulty *compile.ModuleError
			if !errors.As(err, &faulty) || !strings.HasPrefix(faulty.Text, test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if grown := resident(t) - before; grown > 16<<20 {
				t.Errorf("this process grew by %d bytes", grown)
			}
			if left := files(t, test.o.Dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestLoad_AnInvalidModuleIsItsOwnFault(t *testing.T) {
	c := open(t, compile.Options{Temporary: true})
	err := load(t.Context(), c, function([]byte{0x1a}))
	var faulty *compile.ModuleError
	if !errors.As(err, &faulty) || !strings.HasPrefix(faulty.Text, "invalid function[0]") {
		t.Fatalf("error %v", err)
	}
}

func TestLoad_EndsWithItsContext(t *testing.T) {
	c := open(t, compile.Options{Temporary: true})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := load(ctx, c, jumps(200_000)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
}

func TestLoad_ABinaryThatIsNoCompiler(t *testing.T) {
	for _, test := range []struct {
		command []string
		want    string
	}{
		{[]string{"true"}, `true does not compile modules (exit status 0, ""): its main must begin with compile.Main`},
		{[]string{"false"}, "false does not compile modules (exit status 1,"},
		{[]string{"sh", "-c", "kill -TERM $$"}, `the compiler was ended by signal "terminated"`},
		{[]string{"sh", "-c", "echo 'SIGSEGV: segmentation violation' >&2; exit 2"}, "compiling took more than 2048 MiB of memory"},
		{[]string{"echo", strings.Repeat("x", 100_000)}, "echo does not compile modules"},
		{[]string{"/does/not/exist"}, "starting the compiler /does/not/exist"},
	} {
		c := open(t, compile.Options{Temporary: true, Command: test.command})
		if err := load(t.Context(), c, nested(1)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: error %v, want %q", test.command, err, test.want)
		}
	}
}

// resident returns the resident memory of this process in bytes, 0 where it
// cannot be known.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
