package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

func (r *rewriter) writeTables() (err error) {
	tables := r.m.Tables[r.m.ImportedTables:]
	r.section(wasm.SecTable, len(tables), func() {
		for i := range tables {
			l := tables[i].Limits
			if l.Min > r.o.MaxTable {
				err = fault("table", l.Offset, "a table begins with %d entries, at most %d are allowed", l.Min, r.o.MaxTable)
			}
			r.bytes(byte(tables[i].Elem))
			r.limits(capped(l, r.o.MaxTable))
		}
	})
	return err
}

func (r *rewriter) writeMemories() (err error) {
	imported := 0
	for i := range r.m.Imports {
		if r.m.Imports[i].Kind == wasm.Memory {
			imported++
		}
	}
	memories := r.m.Memories[imported:]
	r.section(wasm.SecMemory, len(memories), func() {
		for _, l := range memories {
			if l.Min > r.o.MaxMemory {
				err = fault("memory", l.Offset, "a memory begins with %d pages, at most %d are allowed", l.Min, r.o.MaxMemory)
			}
			r.limits(capped(l, r.o.MaxMemory))
		}
	})
	return err
}

func capped(l wasm.Limits, most uint32) wasm.Limits {
	if !l.HasMax || l.Max > most {
		l.HasMax, l.Max = true, most
	}
	return l
}

func (r *rewriter) globalType(g wasm.GlobalType) {
	mutable := byte(0)
	if g.Mutable {
		mutable = 1
	}
	r.bytes(byte(g.Type), mutable)
}

// expr appends a constant expression.
func (r *rewriter) expr(e *wasm.Expr) {
	if e.Op != wasm.OpRefFunc {
		r.out = append(r.out, e.Bytes...)
		return
	}
	r.op(wasm.OpRefFunc, r.defined(e.Index))
	r.plain(wasm.OpEnd)
}

// writeGlobals appends the guest's globals and ours: flag, depth, and fuel in
// the counted form.
func (r *rewriter) writeGlobals() {
	ours := []wasm.ValueType{wasm.I32, wasm.I32}
	if r.o.Form == Counted {
		ours = append(ours, wasm.I64)
	}
	r.section(wasm.SecGlobal, len(r.m.Globals)+len(ours), func() {
		for i := range r.m.Globals {
			g := &r.m.Globals[i]
			r.globalType(g.GlobalType)
			r.expr(&g.Init)
		}
		for _, t := range ours {
			r.globalType(wasm.GlobalType{Type: t, Mutable: true})
			zero := wasm.OpI32Const
			if t == wasm.I64 {
				zero = wasm.OpI64Const
			}
			r.bytes(byte(zero), 0, byte(wasm.OpEnd))
		}
	})
}

// writeExports appends the guest's exports and ours.
func (r *rewriter) writeExports() {
	var ours []wasm.Export
	add := func(name string, kind wasm.Kind, index uint32) {
		ours = append(ours, wasm.Export{Name: name, Kind: kind, Index: index})
	}
	add(ExportFlag, wasm.Global, r.flag())
	add(ExportDepth, wasm.Global, r.depth())
	if r.o.Form == Counted {
		add(ExportFuel, wasm.Global, r.fuel())
	}
	if r.result.Start != "" {
		add(ExportStart, wasm.Func, uint32(r.m.Start))
	}
	for i := range r.m.Globals {
		g := r.m.Globals[i].GlobalType
		if !g.Mutable {
			continue
		}
		switch g.Type {
		case wasm.I32, wasm.I64, wasm.F32, wasm.F64:
			name := globalName(r.m.ImportedGlobals + i)
			add(name, wasm.Global, uint32(r.m.ImportedGlobals+i))
			r.result.Globals = append(r.result.Globals, Global{name, g.Type})
		default:
			r.whole = false
		}
	}
	r.section(wasm.SecExport, len(r.m.Exports)+len(ours), func() {
		for _, exports := range [][]wasm.Export{r.m.Exports, ours} {
			for i := range exports {
				e := &exports[i]
				r.name(e.Name)
				r.bytes(byte(e.Kind))
				if e.Kind == wasm.Func {
					r.u32(r.defined(e.Index))
				} else {
					r.u32(e.Index)
				}
			}
		}
	})
}
