// Package corpus has real guests to measure and to compare: the same three
// workloads in each language that guests are written in, built by that
// language's own tools, and two interpreters. Tests run a guest as it is and
// rewritten, and hold the results against each other and against Want.
//
// The modules are built from testdata on demand and kept by their content in
// wasmill/corpus of the user's cache directory. The tools are those that
// scripts/toolchains.sh installs, which `make toolchains` and `make test` run.
package corpus

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Guest is a module and how it is run.
type Guest struct {
	Name     string // "rust"; of no other guest
	Language string // "Rust"
	Step     bool   // it has the exports of a step, so Init and Batch work
	Large    bool   // wazero compiles it for seconds; tests leave it out under -short

	make  func(p *place) ([]byte, error)
	start func(ctx context.Context, instantiate Instantiate) (*Instance, error)
}

// All returns the guests, the smallest first.
func All() []Guest {
	return []Guest{
		{"assemblyscript", "AssemblyScript", true, false, makeAssemblyScript, startExports},
		{"c", "C", true, false, makeC, startExports},
		{"rust", "Rust", true, false, makeRust, startExports},
		{"go", "Go", true, true, makeGo, startExports},
		{"quickjs", "JavaScript", false, true, stock("quickjs.wasm"), startQuickJS},
		{"cpython", "Python", false, true, stock("python.wasm"), startCPython},
	}
}

// Get returns the guest of that name.
func Get(t testing.TB, name string) Guest {
	t.Helper()
	for _, g := range All() {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("corpus: no guest is called %q", name)
	return Guest{}
}

// Wasm returns the module, building it if that was not done before. It fails
// the test if a tool is missing, and says what to do. The bytes are shared:
// they must not be changed.
func (g Guest) Wasm(t testing.TB) []byte {
	t.Helper()
	return built(t, g.Name, g.make)
}

// Instantiate makes an instance that nothing has run in yet, as config says,
// which has no start functions and no name. Of a rewritten module it applies
// the data and calls what was the start function.
type Instantiate func(ctx context.Context, config wazero.ModuleConfig) (api.Module, error)

// Plain returns the Instantiate of a module as compiled.
func Plain(r wazero.Runtime, compiled wazero.CompiledModule) Instantiate {
	return func(ctx context.Context, config wazero.ModuleConfig) (api.Module, error) {
		return r.InstantiateModule(ctx, compiled, config)
	}
}

// Start makes an instance of the guest and has it begin: the exports that
// start it are called, an interpreter has loaded its script when the first
// call of Run returns. ctx holds until the instance is closed. The runtime
// behind instantiate needs what Link puts there.
func (g Guest) Start(ctx context.Context, instantiate Instantiate) (*Instance, error) {
	return g.start(ctx, instantiate)
}
