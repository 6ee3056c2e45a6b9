package peers_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	extism "github.com/extism/go-sdk"
)

// extismContestants are a plugin that is called for each record, one that is
// called for many lines, and the first with a timeout: that is what makes a
// call one that can be stopped, as every call of wasmill is.
func extismContestants(b *testing.B) (all []contestant) {
	path := peerStep(b, "extism")
	return []contestant{
		calls(b, "call", plugin(b, path, 0), path),
		calls(b, "call-with-timeout", plugin(b, path, 10_000), path),
		lines(b, plugin(b, path, 0), path, 16),
		lines(b, plugin(b, path, 0), path, 1024),
	}
}

// plugin returns one of its own for each contestant: a call clears as much
// memory as the largest before it took.
func plugin(b *testing.B, path string, timeout uint64) *extism.Plugin {
	ctx := context.WithoutCancel(b.Context())
	p, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: path}}, Timeout: timeout}, extism.PluginConfig{EnableWasi: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	return p
}

// calls makes a call for each record.
func calls(b *testing.B, way string, p *extism.Plugin, path string) contestant {
	in := records(1)[0]
	return contestant{peer: "extism", way: way, batch: 1, bytes: size(b, path), prepare: func(b *testing.B, times int, check func([]string)) func() {
		return func() {
			for range times {
				out := call(b, p, "process", in)
				if check != nil {
					check([]string{string(out)})
				}
			}
		}
	}}
}

// lines makes a call for n records, with a newline behind each.
func lines(b *testing.B, p *extism.Plugin, path string, n int) contestant {
	in := append(bytes.Join(records(n), []byte("\n")), '\n')
	return contestant{peer: "extism", way: "lines", batch: n, bytes: size(b, path), prepare: func(b *testing.B, times int, check func([]string)) func() {
		return func() {
			for range times {
				out := call(b, p, "lines", in)
				if check != nil {
					check(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
				}
			}
		}
	}}
}

func call(b *testing.B, p *extism.Plugin, name string, in []byte) []byte {
	status, out, err := p.Call(name, in)
	if err != nil || status != 0 {
		b.Fatalf("status %d: %v", status, err)
	}
	return out
}
