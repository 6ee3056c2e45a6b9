package admit

import (
	"fmt"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// walker looks at every instruction of a module once.
type walker struct {
	m      *Module
	l      *Limits
	funcs  []uint32 // types of all functions, imported ones first
	data   int      // data segments that code may name
	code   wasm.Code
	in     wasm.Instr
	frames []frame

	// of the body at hand
	locals int
	height int // of the operand stack, at most
	top    int // the most that height was
	effort effort
}

// frame is an open block.
type frame struct {
	base    int // height of the operands below its own
	params  int
	results int
	loop    bool
}

// arity is what a branch to the block takes along.
func (f *frame) arity() int {
	if f.loop {
		return f.params
	}
	return f.results
}

// bodies checks the code: its form, its limits and the indices in it.
func (m *Module) bodies(l *Limits) error {
	w := walker{m: m, l: l, data: max(m.DataCount, 0), funcs: make([]uint32, 0, m.ImportedFuncs+len(m.Funcs))}
	for _, im := range m.Imports {
		if im.Kind == wasm.Func {
			w.funcs = append(w.funcs, im.Type)
		}
	}
	w.funcs = append(w.funcs, m.Funcs...)
	total, most := 0.0, -1.0
	for i := range m.Bodies {
		if err := w.body(i); err != nil {
			return err
		}
		ns := w.effort.nanoseconds(m.Bodies[i].End - m.Bodies[i].Offset)
		if ns > most {
			most, m.costliest = ns, i
		}
		total += ns
	}
	m.Have[Effort] = milliseconds(total)
	if m.Have[Effort] <= l[Effort] {
		return nil
	}
	b := &m.Bodies[m.costliest]
	return &wasm.Error{
		Section: "code", Offset: b.Offset, Over: table[Effort].What,
		Text: fmt.Sprintf("its code may take the compiler %d ms beyond what its size explains, at most %d are allowed; function %d with %d bytes takes %d of them, for its many branches or variables: %s",
			m.Have[Effort], l[Effort], m.ImportedFuncs+m.costliest, b.End-b.Offset, milliseconds(most), table[Effort].Do),
	}
}

func (w *walker) body(i int) error {
	b := &w.m.Bodies[i]
	t := &w.m.Types[w.m.Funcs[i]]
	w.locals = len(t.Params) + b.Locals
	w.height, w.top = 0, 0
	w.effort = effort{values: len(t.Params) + len(t.Results)}
	w.frames = append(w.frames[:0], frame{results: len(t.Results)})
	w.code.Reset(w.m.Module, b)
	for w.code.Next(&w.in) {
		if err := w.instruction(); err != nil {
			return err
		}
	}
	w.effort.variables = w.locals + w.top
	return w.code.Err()
}

func (w *walker) instruction() error {
	in := &w.in
	w.add(in.Op.Height())
	switch in.Op.Immediate() {
	case wasm.ImmNone:
		w.plain()
	case wasm.ImmBlock:
		return w.open()
	case wasm.ImmLabel:
		w.effort.blocks++
		w.branch(in.A, 1)
		if in.Op == wasm.OpBr {
			w.unreachable()
		}
	case wasm.ImmLabels:
		raise(&w.m.Have[Targets], int(in.A))
		if err := w.l.check(w.m, Targets, "code", in.Offset); err != nil {
			return err
		}
		w.effort.blocks++
		w.effort.targets += int(in.A)
		w.branch(in.B, int(in.A)+1)
		w.unreachable()
	case wasm.ImmLocal:
		return w.index("local", in.A, w.locals)
	case wasm.ImmGlobal:
		return w.index("global", in.A, w.m.ImportedGlobals+len(w.m.Globals))
	case wasm.ImmFunc:
		if err := w.index("function", in.A, len(w.funcs)); err != nil || in.Op != wasm.OpCall {
			return err
		}
		w.call(w.funcs[in.A])
	case wasm.ImmIndirect:
		if err := w.indices("type", in.A, len(w.m.Types), "table", in.B, len(w.m.Tables)); err != nil {
			return err
		}
		w.call(in.A)
	case wasm.ImmTable:
		return w.index("table", in.A, len(w.m.Tables))
	case wasm.ImmTables:
		return w.indices("table", in.A, len(w.m.Tables), "table", in.B, len(w.m.Tables))
	case wasm.ImmElem:
		return w.index("element segment", in.A, len(w.m.Elements))
	case wasm.ImmElemTab:
		return w.indices("element segment", in.A, len(w.m.Elements), "table", in.B, len(w.m.Tables))
	case wasm.ImmData, wasm.ImmDataMem:
		return w.index("data segment", in.A, w.data)
	}
	return nil
}

// plain follows the instructions of control that have no immediate.
func (w *walker) plain() {
	switch w.in.Op {
	case wasm.OpElse:
		w.effort.blocks++
		f := w.frame(0)
		w.height = f.base + f.params
	case wasm.OpEnd:
		f := w.frame(0)
		w.height = f.base
		w.frames = w.frames[:len(w.frames)-1]
		if len(w.frames) > 0 {
			w.add(f.results)
		}
	case wasm.OpReturn, wasm.OpUnreachable:
		w.unreachable()
	}
}

// open enters a block.
func (w *walker) open() error {
	f := frame{loop: w.in.Op == wasm.OpLoop}
	switch t := w.in.Block; {
	case t == wasm.NoResult:
	case t < 0:
		f.results = 1
	default:
		if err := w.index("type", uint32(t), len(w.m.Types)); err != nil {
			return err
		}
		f.params, f.results = len(w.m.Types[t].Params), len(w.m.Types[t].Results)
	}
	w.effort.blocks++
	if w.in.Op != wasm.OpBlock {
		w.effort.blocks++ // a block begins before the end as well as behind it
	}
	w.effort.values += f.params + f.results
	f.base = max(w.height-f.params, w.frame(0).base)
	w.frames = append(w.frames, f)
	raise(&w.m.Have[Nesting], len(w.frames)-1)
	return w.l.check(w.m, Nesting, "code", w.in.Offset)
}

// branch is n branches to the block of that depth.
func (w *walker) branch(depth uint32, n int) {
	w.effort.values += n * w.frame(depth).arity()
}

func (w *walker) call(t uint32) {
	f := &w.m.Types[t]
	w.add(-len(f.Params))
	w.add(len(f.Results))
	w.effort.values += len(f.Params) + len(f.Results)
}

// frame returns the open block of that depth. The decoder has checked it.
func (w *walker) frame(depth uint32) *frame { return &w.frames[len(w.frames)-1-int(depth)] }

// add changes the height of the operand stack, which does not fall below
// what the block began with: behind a branch operands come from nowhere.
func (w *walker) add(n int) {
	w.height = max(w.height+n, w.frame(0).base)
	w.top = max(w.top, w.height)
}

func (w *walker) unreachable() { w.height = w.frame(0).base }

func (w *walker) index(what string, i uint32, have int) error {
	if int64(i) < int64(have) {
		return nil
	}
	return &wasm.Error{Section: "code", Offset: w.in.Offset, Text: fmt.Sprintf("an instruction names %s %d of %d", what, i, have)}
}

func (w *walker) indices(what string, i uint32, have int, what2 string, j uint32, have2 int) error {
	if err := w.index(what, i, have); err != nil {
		return err
	}
	return w.index(what2, j, have2)
}
