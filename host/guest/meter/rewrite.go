package meter

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// rewriter rewrites one module.
type rewriter struct {
	m      *wasm.Module
	o      Options
	result Result

	canon    []uint32 // of each type the first that is equal
	types    []uint32 // of each function, imported ones first
	declared []bool   // functions that code may refer to
	taken    []bool   // functions that a table may hold
	globals  int      // imported and own
	whole    bool
	sites    []site
	funcs    []function
	helpers  helpers
	added    added

	inside *site // the loop entered again that is being written, nil outside

	out      []byte
	codeAt   int // where the contents of the code section begin in out, while they are written
	codeSize int // of the contents

	recording bool // for an OffsetMap
	pieces    []piece
}

// Rewrite rewrites m. The error is a *wasm.Error: of what cannot be rewritten,
// and of what is invalid in a way that the rewriting would hide; an unknown
// form is another error. Whatever else is invalid stays so, for the compiler
// to find. The result has at most some thirty times the bytes of m.
func Rewrite(m *wasm.Module, o Options) (*Result, error) {
	r, err := newRewriter(m, o)
	if err != nil {
		return nil, err
	}
	if err := r.write(); err != nil {
		return nil, err
	}
	r.result.Wasm, r.result.Whole = r.out, r.whole
	return &r.result, nil
}

// newRewriter analyses m.
func newRewriter(m *wasm.Module, o Options) (*rewriter, error) {
	if len(m.Bytes) > math.MaxInt32 {
		return nil, fault("", len(m.Bytes), "a module of %d bytes, at most %d can be rewritten", len(m.Bytes), math.MaxInt32)
	}
	if o.Form > Counted {
		return nil, fmt.Errorf("meter: %s is unknown", o.Form)
	}
	r := &rewriter{
		m: m, o: o.withDefaults(), whole: true,
		globals: m.ImportedGlobals + len(m.Globals),
		canon:   canonical(m.Types),
		funcs:   make([]function, len(m.Bodies)),
	}
	if err := r.names(); err != nil {
		return nil, err
	}
	r.functions()
	if err := r.startType(); err != nil {
		return nil, err
	}
	if err := r.scan(); err != nil {
		return nil, err
	}
	r.place()
	r.added.init(r)
	return r, nil
}

// names refuses modules that use ours.
func (r *rewriter) names() error {
	for i := range r.m.Imports {
		im := &r.m.Imports[i]
		if im.Module == ImportModule {
			return fault("import", im.Offset, "it imports %s from %s, which is the host's own", im.Name, im.Module)
		}
		if im.Kind != wasm.Func && !(im.Kind == wasm.Global && !im.Global.Mutable) {
			r.whole = false
		}
	}
	for i := range r.m.Exports {
		if e := &r.m.Exports[i]; strings.HasPrefix(e.Name, exportPrefix) {
			return fault("export", e.Offset, "it exports %q, and names with %s are the host's own", e.Name, exportPrefix)
		}
	}
	return nil
}

// functions notes the types of functions and which may be referred to.
func (r *rewriter) functions() {
	m := r.m
	r.types = make([]uint32, 0, m.ImportedFuncs+len(m.Funcs))
	shared := m.ImportedTables > 0
	for i := range m.Imports {
		if m.Imports[i].Kind == wasm.Func {
			r.types = append(r.types, m.Imports[i].Type)
		}
	}
	r.types = append(r.types, m.Funcs...)
	r.declared, r.taken = make([]bool, len(r.types)), make([]bool, len(r.types))
	hold := func(f uint32) { r.declared[f], r.taken[f] = true, true }
	for i := range m.Globals {
		if init := &m.Globals[i].Init; init.Op == wasm.OpRefFunc {
			hold(init.Index)
		}
	}
	for i := range m.Elements {
		e := &m.Elements[i]
		for _, f := range e.Funcs {
			hold(f)
		}
		for j := range e.Init {
			if e.Init[j].Op == wasm.OpRefFunc {
				hold(e.Init[j].Index)
			}
		}
	}
	for i := range m.Exports {
		shared = shared || m.Exports[i].Kind == wasm.Table
	}
	for i := range m.Exports {
		if e := &m.Exports[i]; e.Kind == wasm.Func {
			r.declared[e.Index] = true
			// Another module may put it into a table that both use.
			r.taken[e.Index] = r.taken[e.Index] || shared
		}
	}
}

// startType refuses a start function that could not be one.
func (r *rewriter) startType() error {
	if r.m.Start < 0 {
		return nil
	}
	if t := &r.m.Types[r.types[r.m.Start]]; len(t.Params)+len(t.Results) > 0 {
		return fault("start", len(r.m.Bytes), "the start function %d has parameters or results", r.m.Start)
	}
	r.result.Start = ExportStart
	return nil
}

// defined returns the index that function f of the original has in the
// result, where tick stands behind the imported ones.
func (r *rewriter) defined(f uint32) uint32 {
	if int(f) < r.m.ImportedFuncs {
		return f
	}
	return f + 1
}

func (r *rewriter) tick() uint32  { return uint32(r.m.ImportedFuncs) }
func (r *rewriter) flag() uint32  { return uint32(r.globals) }
func (r *rewriter) depth() uint32 { return uint32(r.globals) + 1 }
func (r *rewriter) fuel() uint32  { return uint32(r.globals) + 2 }

func globalName(i int) string { return ExportGlobal + strconv.Itoa(i) }
