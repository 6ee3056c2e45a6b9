package spectest_test

import (
	"math/rand/v2"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// eager makes checks of the patient form find the flag set: some in a hundred
// of them, all with 100. A tick clears the flag, or leaves it set, so that it
// is called again, as often as is left of a hundred.
type eager struct {
	percent int
	rnd     *rand.Rand
	ticks   int
}

func newEager(percent int) *eager {
	return &eager{percent: percent, rnd: rand.New(rand.NewPCG(0, uint64(percent)))}
}

func (e *eager) chance() bool { return e.rnd.IntN(100) < e.percent }

// tick is that of module m.
func (e *eager) tick(m api.Module) {
	if e.ticks++; e.chance() {
		m.ExportedGlobal(meter.ExportFlag).(api.MutableGlobal).Set(0)
	}
}

// rewrite has a rewritten module set its own flag: at the head of a loop right
// behind the check that let it pass, so that the next pass is stopped, and
// elsewhere right before the check. What is chosen depends on the module
// alone. A module that is malformed is returned as it is.
func (e *eager) rewrite(b []byte) []byte {
	e.rnd = rand.New(rand.NewPCG(uint64(len(b)), uint64(e.percent)))
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		return b
	}
	flag := uint32(0)
	for _, x := range m.Exports {
		if x.Name == meter.ExportFlag {
			flag = x.Index
		}
	}
	set := wasm.AppendU32([]byte{byte(wasm.OpI32Const), 1, byte(wasm.OpGlobalSet)}, flag)
	out := append([]byte(nil), b[:8]...)
	for _, s := range m.Sections {
		contents := b[s.Start:s.End]
		switch s.ID {
		case wasm.SecCustom:
			contents = append(wasm.AppendName(nil, s.Name), contents...)
		case wasm.SecCode:
			contents = wasm.AppendU32(nil, uint32(len(m.Bodies)))
			for i := range m.Bodies {
				body := e.body(m, &m.Bodies[i], flag, set)
				contents = append(wasm.AppendU32(contents, uint32(len(body))), body...)
			}
		}
		out = wasm.AppendSection(out, s.ID, contents)
	}
	return out
}

// body returns a body with the instructions of set in its places.
func (e *eager) body(m *wasm.Module, b *wasm.Body, flag uint32, set []byte) []byte {
	var out []byte
	done, got := b.Offset, -1 // copied up to; where the flag was read
	var in wasm.Instr
	for c := m.Code(b); c.Next(&in); {
		at := -1
		switch {
		case in.Op == wasm.OpGlobalGet && in.A == flag:
			got = in.Offset
			continue
		case got >= 0 && in.Op == wasm.OpBrIf:
			at = in.End
		case got >= 0:
			at = got
		}
		if got = -1; at >= 0 && e.chance() {
			out = append(append(out, m.Bytes[done:at]...), set...)
			done = at
		}
	}
	return append(out, m.Bytes[done:b.End]...)
}
