package spectest_test

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// coverage is which instructions have run. It knows by which functions have
// returned: then all their instructions have run that no branch can pass by.
// A nil coverage looks at nothing.
type coverage struct {
	mu  sync.Mutex
	ops map[wasm.Op]bool
}

func newCoverage() *coverage { return &coverage{ops: map[wasm.Op]bool{}} }

// trapped notes the instruction that ends in a trap alone.
func (c *coverage) trapped(kind string) {
	if c != nil && kind == "unreachable" {
		c.add(wasm.OpUnreachable)
	}
}

func (c *coverage) add(ops ...wasm.Op) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range ops {
		c.ops[o] = true
	}
}

// listen returns what notes the returns of a module's functions.
func (c *coverage) listen(b []byte) experimental.FunctionListenerFactory {
	if c == nil {
		return nil
	}
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		return nil
	}
	return experimental.FunctionListenerFactoryFunc(func(d api.FunctionDefinition) experimental.FunctionListener {
		if body := int(d.Index()) - m.ImportedFuncs; body >= 0 && body < len(m.Bodies) {
			return &returns{coverage: c, module: m, body: &m.Bodies[body]}
		}
		return nil
	})
}

// returns waits for the first return of a function.
type returns struct {
	*coverage
	module *wasm.Module
	body   *wasm.Body
	once   sync.Once
}

func (r *returns) Before(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
}

func (r *returns) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

func (r *returns) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {
	r.once.Do(func() { r.add(certain(r.module, r.body)...) })
}

// certain returns the instructions of a body that have run if it returned:
// all up to the first branch, arms of an if left out. The delimiters of an if
// count if its arms do not branch.
func certain(m *wasm.Module, b *wasm.Body) (ops []wasm.Op) {
	var in wasm.Instr
	var arms []wasm.Op // of the if that is being passed by
	depth := -1        // where that if lies, -1 without
	for c := m.Code(b); c.Next(&in); {
		branches := in.Op == wasm.OpBr || in.Op == wasm.OpBrIf || in.Op == wasm.OpBrTable || in.Op == wasm.OpReturn
		switch {
		case depth < 0:
			ops = append(ops, in.Op)
			if branches {
				return ops
			}
			if in.Op == wasm.OpIf {
				depth, arms = c.Depth(), nil
			}
		case branches:
			return ops
		case in.Op == wasm.OpElse && c.Depth() == depth:
			arms = append(arms, in.Op)
		case in.Op == wasm.OpEnd && c.Depth() < depth:
			ops = append(append(ops, arms...), in.Op)
			depth = -1
		}
	}
	return ops
}
