package guest_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	wt "github.com/wasmill/wasmill/host/guest/wasmtest"
)

// large is a guest that has so many pages behind init.
func large(pages uint32) []byte {
	return remembering{change: func(m *wt.Module) { m.Memory(pages - 2) }}.wasm() // init takes two more
}

func TestInstantiate_TakesNoImageOfALargeMemory(t *testing.T) {
	for _, test := range []struct {
		pages uint32
		image bool
	}{{4096, true}, {4097, false}} {
		e := engine(t, guest.EngineOptions{NoCache: true, MemoryLimit: 512 << 20})
		m := compiled(t, e, large(test.pages))
		first, second := live(t, m, guest.Init{}, &meters{}), live(t, m, guest.Init{}, &meters{})
		if !first.fresh() || second.fresh() == test.image {
			t.Errorf("%d pages: started afresh: %v, then %v", test.pages, first.fresh(), second.fresh())
		}
	}
}

// A module may have an image for each of a job's tasks.
func TestInstantiate_ImagesAreForgottenWhenTheyAreTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes images of 256 MiB")
	}
	const tasks, fit = 6, 4 // 1 GiB
	e := engine(t, guest.EngineOptions{NoCache: true, MemoryLimit: 512 << 20})
	m := compiled(t, e, large(4096))
	for task := range tasks {
		live(t, m, guest.Init{Task: task}, &meters{})
	}
	var kept int
	for task := tasks - 1; task >= 0; task-- { // whoever starts afresh takes the place of another one
		if c := live(t, m, guest.Init{Task: task}, &meters{}); !c.fresh() {
			kept++
		}
	}
	if kept == 0 || kept > fit {
		t.Errorf("%d of %d were kept, want %d at most", kept, tasks, fit)
	}
}

// What it costs to make an instance depends on the module: its share pays.
func TestInstantiate_IsCharged(t *testing.T) {
	const entries, instances = 100_000, 5
	wasm := wt.StepWith(func(m *wt.Module, _ wt.Imports) { m.Table(entries) }, func(wt.Imports) []byte { return wt.Const(0) })
	elements := binary.AppendUvarint([]byte{1, 0, 0x41, 0, 0x0b}, entries) // one segment, from entry 0 on
	wasm = before(wasm, 10, 9, slices.Concat(elements, make([]byte, entries)))
	e := engine(t, guest.EngineOptions{NoCache: true})
	m := compiled(t, e, wasm)
	var calls time.Duration
	for range instances {
		in, err := m.Instantiate(t.Context(), guest.Init{}, &meters{})
		if err != nil {
			t.Fatal(err)
		}
		calls += in.Used()
		if err := in.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// A table of so many entries takes ten times that at least.
	if paid := e.CPU().Used - calls; paid < instances*500*time.Microsecond {
		t.Errorf("%d instances were charged %v beside the %v of their calls", instances, paid, calls)
	}
}

// Somebody may remove the directory of what is kept, while a job runs that has
// not needed all forms yet.
func TestEngine_KeepsThingsInADirectoryThatWasRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	log := onDisk(t, dir, func(e *guest.Engine) {
		m := compiled(t, e, remembering{}.wasm())
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		live(t, m, guest.Init{Run: guest.Run{Patient: true}}, &meters{})
	})
	if log != "" {
		t.Errorf("log %s", log)
	}
	if n := len(imagesIn(t, dir)); n != 1 {
		t.Errorf("%d images on disk, want 1", n)
	}
}
