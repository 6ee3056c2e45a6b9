package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/image"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// errHere unwinds an interpreter that has come as far as its image is wanted.
var errHere = errors.New("here")

// BenchmarkCPython measures an instance of CPython from an image that was
// taken with its modules imported: until it exists with its memory and
// globals in place, and what 100 that were not called yet take of resident
// memory. The interpreter is unwound at the end of its program, by its clock.
func BenchmarkCPython(b *testing.B) {
	ctx := b.Context()
	parsed, err := wasm.Parse(corpus.Get(b, "cpython").Wasm(b), wasm.Caps{})
	if err != nil {
		b.Fatal(err)
	}
	res, err := meter.Rewrite(parsed, meter.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := corpus.Runtime(b, wazero.NewRuntimeConfig())
	code, err := r.CompileModule(ctx, res.Wasm)
	if err != nil {
		b.Fatal(err)
	}
	instance := func(img *image.Image, config wazero.ModuleConfig) (api.Module, error) {
		memory, err := image.NewMemory(image.Options{Limit: 64 << 20, Image: img})
		if err != nil {
			return nil, err
		}
		return r.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), code, config)
	}
	script := "import json, re, datetime, decimal, time\nx = [json.loads('{\"a\": [1, 2]}') for _ in range(100)]\nprint(len(x), flush=True)\ntime.time_ns()"
	var said bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithArgs("python", "-S", "-E", "-c", script).
		WithWalltime(func() (int64, int32) {
			if said.String() == "100\n" {
				panic(errHere)
			}
			return 0, 0
		}, 1000).WithStdout(&said).WithStderr(os.Stderr)
	first, err := instance(nil, config)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range res.Data {
		if !first.Memory().Write(d.At, d.Bytes) {
			b.Fatal("its data do not fit")
		}
	}
	if _, err := first.ExportedFunction("_start").Call(ctx); !errors.Is(err, errHere) {
		b.Fatalf("error %v", err)
	}
	state := image.State{}
	for _, g := range res.Globals {
		state.Globals = append(state.Globals, first.ExportedGlobal(g.Export).Get())
	}
	memory, _ := first.Memory().Read(0, first.Memory().Size())
	img, err := image.Take(memory, state)
	if err != nil {
		b.Fatal(err)
	}
	defer img.Close()
	resume := func() (api.Module, error) {
		m, err := instance(img, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			return nil, err
		}
		if more := (img.Size() - uint64(m.Memory().Size())) >> 16; more > 0 {
			if _, ok := m.Memory().Grow(uint32(more)); !ok {
				return nil, errors.Join(errors.New("its memory does not grow"), m.Close(ctx))
			}
		}
		for i, g := range res.Globals {
			m.ExportedGlobal(g.Export).(api.MutableGlobal).Set(state.Globals[i])
		}
		return m, nil
	}
	b.Run("from=image", func(b *testing.B) {
		for b.Loop() {
			m, err := resume()
			if err == nil {
				err = m.Close(context.Background())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(img.Size())/(1<<20), "MiB-image")
	})
	b.Run("idle=100", func(b *testing.B) {
		before := resident(b)
		for range 100 {
			m, err := resume()
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close(context.Background())
		}
		b.ReportMetric((resident(b)-before)/(1<<20), "MiB-100-instances")
	})
}

// resident returns the process's resident memory in bytes.
func resident(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("needs /proc")
	}
	var all, pages int
	if _, err := fmt.Sscan(string(text), &all, &pages); err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}
