package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// write appends the whole module to r.out.
func (r *rewriter) write() error {
	m := r.m
	// Half again as much fits nearly every module.
	r.out = make([]byte, 0, len(m.Bytes)+len(m.Bytes)/2+1024)
	r.out = append(r.out, "\x00asm\x01\x00\x00\x00"...)
	r.section(wasm.SecType, len(m.Types)+len(r.added.types), r.writeTypes)
	r.section(wasm.SecImport, len(m.Imports)+1, r.writeImports)
	r.section(wasm.SecFunction, len(m.Funcs)+r.helpers.count(), r.writeFunctions)
	if err := r.writeTables(); err != nil {
		return err
	}
	if err := r.writeMemories(); err != nil {
		return err
	}
	r.writeGlobals()
	r.writeExports()
	r.section(wasm.SecElement, len(m.Elements), r.writeElements)
	if m.DataCount >= 0 {
		start := r.begin(wasm.SecDataCount)
		r.u32(uint32(m.DataCount))
		r.end(start)
	}
	r.writeCode()
	if err := r.writeData(); err != nil {
		return err
	}
	r.writeNames()
	if r.o.Lines {
		r.writeLines()
	}
	return nil
}

// begin begins a section or a body whose size end puts before it.
func (r *rewriter) begin(id byte) (start int) {
	r.out = append(r.out, id)
	return len(r.out)
}

// end inserts the size of what was appended since start. It moves what it
// measures by as many bytes, which it returns.
func (r *rewriter) end(start int) (moved int) {
	var size [5]byte
	b := wasm.AppendU32(size[:0], uint32(len(r.out)-start))
	r.out = append(r.out, b...)
	copy(r.out[start+len(b):], r.out[start:])
	copy(r.out[start:], b)
	return len(b)
}

// section appends a section of n entries, none if there are no entries.
func (r *rewriter) section(id byte, n int, entries func()) {
	if n == 0 {
		return
	}
	start := r.begin(id)
	r.u32(uint32(n))
	entries()
	r.end(start)
}

func (r *rewriter) u32(v uint32)    { r.out = wasm.AppendU32(r.out, v) }
func (r *rewriter) bytes(b ...byte) { r.out = append(r.out, b...) }
func (r *rewriter) name(s string)   { r.out = wasm.AppendName(r.out, s) }
func (r *rewriter) limits(l wasm.Limits) {
	if !l.HasMax {
		r.bytes(0)
		r.u32(l.Min)
		return
	}
	r.bytes(1)
	r.u32(l.Min)
	r.u32(l.Max)
}

func (r *rewriter) writeTypes() {
	for _, types := range [][]wasm.FuncType{r.m.Types, r.added.types} {
		for i := range types {
			r.out = appendType(r.out, &types[i])
		}
	}
}

func (r *rewriter) writeImports() {
	for i := range r.m.Imports {
		im := &r.m.Imports[i]
		r.name(im.Module)
		r.name(im.Name)
		r.bytes(byte(im.Kind))
		switch im.Kind {
		case wasm.Func:
			r.u32(im.Type)
		case wasm.Table: // whoever provides it has its limits
			r.bytes(byte(im.Table.Elem))
			r.limits(im.Table.Limits)
		case wasm.Memory:
			r.limits(im.Memory)
		case wasm.Global:
			r.globalType(im.Global)
		}
	}
	r.name(ImportModule)
	r.name(ImportTick)
	r.bytes(byte(wasm.Func))
	r.u32(r.added.tick)
}

func (r *rewriter) writeFunctions() {
	for _, t := range r.m.Funcs {
		r.u32(t)
	}
	r.helpers.each(func(h helper) {
		if h.kind == siteLong {
			r.u32(r.added.none)
		} else {
			r.u32(r.added.bulk)
		}
	})
}

func (r *rewriter) writeCode() {
	n := len(r.m.Bodies) + r.helpers.count()
	if n == 0 {
		return
	}
	start := r.begin(wasm.SecCode)
	r.codeAt = start
	r.u32(uint32(n))
	for i := range r.m.Bodies {
		first := len(r.pieces)
		at := len(r.out)
		r.body(i)
		r.shift(first, r.end(at))
	}
	checks := r.result.Checks
	r.helpers.each(func(h helper) {
		at := len(r.out)
		first := len(r.pieces)
		r.from(-1, false)
		if h.kind == siteLong {
			r.checkHelper()
		} else {
			r.bulk(h)
		}
		r.shift(first, r.end(at))
	})
	r.result.Checks = checks
	r.codeSize = len(r.out) - start
	r.end(start)
}
