package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// Module is a module that is worth parsing and rewriting, though nothing here
// runs it.
type Module struct {
	Name string
	wasm func(t testing.TB) []byte
}

// Wasm returns the module, as Guest.Wasm does.
func (m Module) Wasm(t testing.TB) []byte {
	t.Helper()
	return m.wasm(t)
}

// Modules returns every module there is: those of the guests, then others of
// the repository.
func Modules() []Module {
	var all []Module
	for _, g := range All() {
		all = append(all, Module{g.Name, g.Wasm})
	}
	for _, step := range []string{"tokenize", "count"} {
		dir := filepath.Join("examples", "word-count", step)
		all = append(all, Module{"example-" + step, func(t testing.TB) []byte {
			t.Helper()
			return built(t, "example-"+step, func(p *place) ([]byte, error) { return goModule(p, dir) })
		}})
	}
	return append(all, Module{"passthrough", func(t testing.TB) []byte {
		t.Helper()
		return built(t, "passthrough", func(p *place) ([]byte, error) {
			return os.ReadFile(filepath.Join(p.root, "host", "guest", "passthrough", "passthrough.wasm"))
		})
	}})
}
