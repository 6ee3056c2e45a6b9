// Package admit decides whether a module may come near the compiler: whether
// it is well formed within bounds, whether it is small and simple enough in
// every measure, and whether it is a step that a host can run. It answers in
// time and memory linear in the module's bytes.
package admit

import (
	"errors"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Module is a module that has been read: it is within the limits, and every
// index in its code names something that is there. Whether the code is valid,
// the compiler decides.
type Module struct {
	*wasm.Module

	// Have is what the module has of everything that is limited, by the
	// index of Limits; of what is limited for each one, the largest.
	Have [limits]int

	// costliest is the function that takes the compiler longest beyond what
	// its bytes explain, by its index in Bodies; -1 without functions.
	costliest int
}

// Read takes a module apart and holds it against the limits. The error is a
// *wasm.Error: it names section, offset, the value and the limit, and what to
// do.
func Read(b []byte, l Limits) (*Module, error) {
	m := &Module{costliest: -1}
	if err := m.read(b, l.orDefaults()); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Module) read(b []byte, l *Limits) error {
	m.Have[Bytes] = len(b)
	if err := l.check(m, Bytes, "", 0); err != nil {
		return err
	}
	var err error
	if m.Module, err = wasm.Parse(b, l.caps()); err != nil {
		return advise(err)
	}
	m.count()
	if err := m.tables(l); err != nil {
		return err
	}
	if err := l.check(m, CustomBytes, "custom", len(b)); err != nil {
		return err
	}
	return m.bodies(l)
}

// count fills in what the structure alone tells.
func (m *Module) count() {
	h := &m.Have
	h[Types], h[Imports], h[Functions] = len(m.Types), len(m.Imports), len(m.Funcs)
	h[Tables], h[Memories], h[Globals] = len(m.Tables), len(m.Memories), len(m.Globals)
	h[Exports], h[Elements], h[Data] = len(m.Exports), len(m.Elements), len(m.Data)
	for _, t := range m.Types {
		raise(&h[Values], len(t.Params), len(t.Results))
	}
	for _, im := range m.Imports {
		raise(&h[NameBytes], len(im.Module), len(im.Name))
	}
	for _, e := range m.Exports {
		raise(&h[NameBytes], len(e.Name))
	}
	for _, e := range m.Elements {
		h[Entries] += len(e.Funcs) + len(e.Init)
	}
	for _, s := range m.Sections {
		if s.ID == wasm.SecCustom {
			h[Customs]++
			h[CustomBytes] += s.End - s.Start
			raise(&h[NameBytes], len(s.Name))
		}
	}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		raise(&h[BodyBytes], b.End-b.Offset)
		raise(&h[Locals], b.Locals)
		h[AllLocals] += b.Locals
	}
}

func (m *Module) tables(l *Limits) error {
	for i := range m.Tables {
		t := &m.Tables[i]
		raise(&m.Have[TableMin], int(t.Min))
		if err := l.check(m, TableMin, "table", t.Offset); err != nil {
			return err
		}
	}
	return nil
}

func raise(have *int, values ...int) {
	for _, v := range values {
		*have = max(*have, v)
	}
}

// advise adds to an error about a cap what to do.
func advise(err error) error {
	var e *wasm.Error
	if !errors.As(err, &e) || e.Over == "" {
		return err
	}
	for i := range table {
		if table[i].What == e.Over {
			e.Text += ": " + table[i].Do
		}
	}
	return e
}
