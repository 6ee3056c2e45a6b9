package guest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

// The Go runtime goes on from an image as if it had just started.
func TestInstantiate_AGoGuestFromAnImage(t *testing.T) {
	wasm := tokenize(t)
	dir := filepath.Join(t.TempDir(), "cache")
	config := guest.Init{Inputs: []string{"docs"}, Outputs: []string{"out"}}
	words := func(e *guest.Engine) (emitted []string) {
		c := &calls{}
		in, err := compiled(t, e, wasm).Instantiate(t.Context(), config, c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 { // enough for the guest's collector to run
			run(t, in, batch(fmt.Sprintf("one two two%s", strings.Repeat(" x", i)), strings.Repeat(fmt.Sprint("word ", i), 1000)))
		}
		if more, status, err := in.End(t.Context(), nil); more || status != 0 || err != nil {
			t.Fatalf("end: more %v, status %v, error %v", more, status, err)
		}
		if err := in.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range c.records {
			emitted = append(emitted, fmt.Sprint(r))
		}
		return emitted
	}
	var want []string
	log := onDisk(t, dir, func(e *guest.Engine) {
		if want = words(e); len(want) < 600 {
			t.Fatalf("%d records", len(want))
		}
		if !slices.Equal(words(e), want) {
			t.Error("from memory: other records than afresh")
		}
	})
	log += onDisk(t, dir, func(e *guest.Engine) {
		if !slices.Equal(words(e), want) {
			t.Error("from disk: other records than afresh")
		}
	})
	if log != "" {
		t.Errorf("log %s", log)
	}
}

// tokenize is the guest of the first step of examples/word-count.
func tokenize(tb testing.TB) []byte {
	tb.Helper()
	wasm, _, err := build.Resolve(tb.Context(), "../../examples/word-count/tokenize", build.Options{})
	if errors.Is(err, exec.ErrNotFound) {
		tb.Skip("needs the go command")
	}
	if err != nil {
		tb.Fatal(err)
	}
	return wasm
}

// A process goes on from what another one has left.
func TestInstantiate_FromTheImageOfAnotherProcess(t *testing.T) {
	const at = "WASMILL_IMAGES_TEST"
	begin := func(dir string) (c *meters) {
		if log := onDisk(t, dir, func(e *guest.Engine) {
			c = live(t, compiled(t, e, remembering{}.wasm()), guest.Init{}, &meters{})
		}); log != "" {
			t.Errorf("log %s", log)
		}
		return c
	}
	if dir := os.Getenv(at); dir != "" {
		c := begin(dir)
		fmt.Printf("fresh %v, seed %x, shown %q\n", c.fresh(), c.seed(t), c.seen())
		return
	}
	dir := filepath.Join(t.TempDir(), "cache")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), at+"="+dir)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := begin(dir)
	if want := fmt.Sprintf("fresh true, seed %x, shown %q\n", c.seed(t), c.seen()); c.fresh() || !strings.HasPrefix(string(out), want) {
		t.Errorf("fresh %v; the process before:\n%s\nwant\n%s", c.fresh(), out, want)
	}
}
