package wasm

import (
	"bytes"
	"math"
)

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count"}

// order of sections: the data count stands before the code.
var sectionOrder = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10}

// Caps bound how many things of a kind a module may have, so that its Module
// is not many times larger than its bytes. 0 = no bound but the bytes. The
// error about one says in Over which.
type Caps struct {
	Types, Imports, Functions, Tables, Memories, Globals, Exports int
	Values                                                        int // parameters of one type, or its results
	Elements, Entries                                             int // element segments, entries of all of them
	Data                                                          int // data segments
	Locals, AllLocals                                             int // of one function, of all
	Body                                                          int // bytes of one function
	Customs                                                       int // custom sections
	Name                                                          int // bytes of a name
}

// Parse takes a module apart. The error is an *Error; one about a proposal
// that is not accepted says which.
func Parse(b []byte, caps Caps) (*Module, error) {
	switch {
	case len(b) >= 4 && !bytes.HasPrefix(b, header[:4]):
		return nil, &Error{Offset: 0, Text: "it is not WebAssembly: it does not begin with \\0asm"}
	case len(b) < len(header):
		return nil, &Error{Offset: len(b), Text: "it is too short to be a module"}
	case b[6] == 1 && b[7] == 0: // the layer, behind a version of its own
		return nil, &Error{Offset: 4, Text: "it is a component, and components are not supported: build a core module (for Rust: target wasm32-unknown-unknown or wasm32-wasip1; for others: the core module before it is wrapped)"}
	case !bytes.HasPrefix(b, header):
		return nil, &Error{Offset: 4, Text: "its version of the binary format is not 1"}
	}
	p := &parser{m: &Module{Bytes: b, Start: -1, DataCount: -1}, caps: caps}
	r := reader{b: b, pos: len(header), end: len(b)}
	last, customs := 0, 0
	for r.left() > 0 && r.err == nil {
		at := r.pos
		id := r.byte()
		size := r.count(1)
		if r.err != nil {
			break
		}
		s := reader{b: b, pos: r.pos, end: r.pos + size, longest: caps.Name}
		r.pos += size
		if int(id) >= len(sectionNames) {
			r.fail(at, "section %d is unknown%s", id, sectionHint(id))
			break
		}
		s.section = sectionNames[id]
		sec := Section{ID: id, Start: s.pos, End: s.end}
		if id == SecCustom {
			if customs++; caps.Customs > 0 && customs > caps.Customs {
				s.over(at, "custom sections", "%d custom sections, at most %d are allowed", customs, caps.Customs)
			}
			sec.Name = s.name()
			sec.Start = s.pos
		} else {
			if sectionOrder[id] <= last {
				r.section = s.section
				r.fail(at, "it is twice there or out of order")
				break
			}
			last = sectionOrder[id]
			p.section(id, &s)
			if s.err == nil && s.left() > 0 {
				s.fail(s.pos, "%d bytes are left over", s.left())
			}
		}
		if s.err != nil {
			return nil, s.err
		}
		p.m.Sections = append(p.m.Sections, sec)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.m, nil
}

func sectionHint(id byte) string {
	if id == 13 {
		return ": it belongs to exception handling, which is not supported"
	}
	return ""
}

type parser struct {
	m       *Module
	caps    Caps
	entries int // of element segments so far
	globals int // imported and defined so far
	locals  int // of all bodies so far
}

func (p *parser) section(id byte, r *reader) {
	m := p.m
	switch id {
	case SecType:
		p.types(r)
	case SecImport:
		p.imports(r)
	case SecFunction:
		n := r.counted(1, p.caps.Functions, "functions")
		m.Funcs = make([]uint32, 0, n)
		for range n {
			m.Funcs = append(m.Funcs, p.typeIndex(r))
		}
	case SecTable:
		for range r.counted(3, p.caps.Tables, "tables") {
			m.Tables = append(m.Tables, tableType(r))
		}
	case SecMemory:
		for range r.counted(2, p.caps.Memories, "memories") {
			m.Memories = append(m.Memories, memoryLimits(r))
		}
	case SecGlobal:
		for range r.counted(4, p.caps.Globals, "globals") {
			m.Globals = append(m.Globals, GlobalDef{globalType(r), p.expr(r)})
			p.globals++
		}
	case SecExport:
		for range r.counted(3, p.caps.Exports, "exports") {
			e := Export{Offset: r.pos}
			e.Name, e.Kind, e.Index = r.name(), Kind(r.byte()), r.u32()
			if e.Kind > Tag {
				r.fail(e.Offset, "an export of kind %d", e.Kind)
			}
			m.Exports = append(m.Exports, e)
			if r.err != nil {
				return
			}
		}
	case SecStart:
		at := r.pos
		if m.Start = int(r.u32()); m.Start >= m.funcs() {
			r.fail(at, "start function %d of %d", m.Start, m.funcs())
		}
	case SecElement:
		p.elements(r)
	case SecDataCount:
		m.DataCount = int(r.u32())
	case SecCode:
		p.code(r)
	case SecData:
		p.data(r)
	}
}

func (m *Module) funcs() int { return m.ImportedFuncs + len(m.Funcs) }

func (p *parser) types(r *reader) {
	n := r.counted(3, p.caps.Types, "types")
	p.m.Types = make([]FuncType, 0, n)
	for range n {
		at := r.pos
		switch form := r.byte(); form {
		case 0x60:
		case 0x4e, 0x4f, 0x50, 0x5e, 0x5f:
			r.fail(at, "type form %#x belongs to garbage collection, which is not supported: build for core WebAssembly", form)
		default:
			r.fail(at, "type form %#x is not a function's", form)
		}
		p.m.Types = append(p.m.Types, FuncType{p.valueTypes(r, "parameters"), p.valueTypes(r, "results")})
		if r.err != nil {
			return
		}
	}
}

func (p *parser) valueTypes(r *reader, of string) []ValueType {
	at := r.pos
	n := r.count(1)
	if p.caps.Values > 0 && n > p.caps.Values {
		r.over(at, "values of a type", "a type of %d %s, at most %d are allowed", n, of, p.caps.Values)
		return nil
	}
	types := make([]ValueType, n)
	for i := range types {
		types[i] = valueType(r)
	}
	return types
}

func valueType(r *reader) ValueType {
	at := r.pos
	t := ValueType(r.byte())
	switch t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
	case 0x63, 0x64:
		r.fail(at, "value type %#x belongs to typed function references, which are not supported", byte(t))
	case 0x69:
		r.fail(at, "value type %#x belongs to exception handling, which is not supported", byte(t))
	case 0x65, 0x66, 0x67, 0x68, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71, 0x72, 0x73:
		r.fail(at, "value type %#x belongs to garbage collection, which is not supported", byte(t))
	default:
		r.fail(at, "value type %#x is unknown", byte(t))
	}
	return t
}

func refType(r *reader) ValueType {
	at := r.pos
	t := valueType(r)
	if r.err == nil && t != FuncRef && t != ExternRef {
		r.fail(at, "type %#x is not a reference type", byte(t))
	}
	return t
}

func (p *parser) typeIndex(r *reader) uint32 {
	at := r.pos
	t := r.u32()
	if int64(t) >= int64(len(p.m.Types)) {
		r.fail(at, "type %d of %d", t, len(p.m.Types))
	}
	return t
}

func (p *parser) imports(r *reader) {
	m := p.m
	for range r.counted(4, p.caps.Imports, "imports") {
		im := Import{Offset: r.pos}
		im.Module, im.Name, im.Kind = r.name(), r.name(), Kind(r.byte())
		switch im.Kind {
		case Func:
			im.Type = p.typeIndex(r)
			m.ImportedFuncs++
		case Table:
			im.Table = tableType(r)
			m.ImportedTables++
			m.Tables = append(m.Tables, im.Table)
		case Memory:
			im.Memory = memoryLimits(r)
			m.Memories = append(m.Memories, im.Memory)
		case Global:
			im.Global = globalType(r)
			m.ImportedGlobals++
			p.globals++
		case Tag:
			r.fail(im.Offset, "the import %s.%s is a tag: exception handling is not supported", im.Module, im.Name)
		default:
			r.fail(im.Offset, "the import %s.%s is of kind %d", im.Module, im.Name, im.Kind)
		}
		if r.err != nil {
			return
		}
		m.Imports = append(m.Imports, im)
	}
}

func tableType(r *reader) TableType {
	if r.left() > 0 && r.b[r.pos] == 0x40 {
		r.fail(r.pos, "a table with an initial value belongs to typed function references, which are not supported")
	}
	return TableType{refType(r), limits(r, "table")}
}

func memoryLimits(r *reader) Limits {
	l := limits(r, "memory")
	const most = 1 << 16
	if r.err == nil && (l.Min > most || l.HasMax && l.Max > most) {
		r.fail(l.Offset, "a memory of more than %d pages", most)
	}
	return l
}

func limits(r *reader, of string) Limits {
	l := Limits{Offset: r.pos}
	flags := r.byte()
	switch {
	case flags&2 != 0 && flags < 8:
		r.fail(l.Offset, "a shared %s belongs to threads, which are not supported: build without atomics and shared memory", of)
	case flags&4 != 0 && flags < 8:
		r.fail(l.Offset, "a 64-bit %s belongs to memory64, which is not supported: build for wasm32", of)
	case flags > 1:
		r.fail(l.Offset, "limits of a %s have flags %#x, which are unknown", of, flags)
	}
	l.Min = r.u32()
	if flags&1 != 0 {
		l.HasMax, l.Max = true, r.u32()
		if l.Max < l.Min {
			r.fail(l.Offset, "the maximum of a %s, %d, is below its minimum, %d", of, l.Max, l.Min)
		}
	}
	return l
}

func globalType(r *reader) GlobalType {
	t := valueType(r)
	at := r.pos
	mutable := r.byte()
	if mutable > 1 {
		r.fail(at, "mutability %d of a global", mutable)
	}
	return GlobalType{t, mutable == 1}
}

// expr reads a constant expression.
func (p *parser) expr(r *reader) Expr {
	at := r.pos
	e := Expr{Op: Op(r.byte())}
	switch e.Op {
	case OpI32Const:
		e.I32 = int32(r.signed(32))
	case OpI64Const:
		r.signed(64)
	case OpF32Const:
		r.bytes(4)
	case OpF64Const:
		r.bytes(8)
	case OpGlobalGet:
		if e.Index = r.u32(); int64(e.Index) >= int64(p.globals) {
			r.fail(at, "global %d of %d in a constant expression", e.Index, p.globals)
		}
	case OpRefNull:
		refType(r)
	case OpRefFunc:
		if e.Index = r.u32(); int64(e.Index) >= int64(p.m.funcs()) {
			r.fail(at, "function %d of %d in a constant expression", e.Index, p.m.funcs())
		}
	case 0xfd:
		if sub := r.u32(); sub != uint32(OpV128Const&0xff) {
			r.fail(at, "vector instruction %d in a constant expression", sub)
		}
		e.Op = OpV128Const
		r.bytes(16)
	default:
		r.fail(at, "instruction %#x in a constant expression", uint32(e.Op))
	}
	if end := r.byte(); r.err == nil && end != byte(OpEnd) {
		r.fail(at, "a constant expression of more than one instruction belongs to extended constants, which are not supported")
	}
	if r.err == nil {
		e.Bytes = r.b[at:r.pos:r.pos]
	}
	return e
}

func (p *parser) code(r *reader) {
	m := p.m
	at := r.pos
	n := r.count(2)
	if r.err == nil && n != len(m.Funcs) {
		r.fail(at, "%d bodies for %d functions", n, len(m.Funcs))
		return
	}
	m.Bodies = make([]Body, 0, n)
	for range n {
		size := r.count(1)
		b := Body{Offset: r.pos, End: r.pos + size}
		if p.caps.Body > 0 && size > p.caps.Body {
			r.over(b.Offset, "bytes of a function", "a function of %d bytes, at most %d are allowed", size, p.caps.Body)
		}
		s := reader{b: r.b, pos: b.Offset, end: b.End, section: r.section, err: r.err}
		locals := uint64(0)
		for range s.count(2) {
			at := s.pos
			c := s.u32()
			locals += uint64(c)
			b.Vectors = valueType(&s) == V128 && c > 0 || b.Vectors
			if most := p.mostLocals(); locals > most {
				s.over(at, "locals of a function", "a function of %d locals, at most %d are allowed", locals, most)
			}
		}
		if p.locals += int(locals); p.caps.AllLocals > 0 && p.locals > p.caps.AllLocals {
			s.over(b.Offset, "locals", "functions with %d locals in all, at most %d are allowed", p.locals, p.caps.AllLocals)
		}
		b.Locals, b.Code = int(locals), s.pos
		if s.err == nil && s.left() == 0 {
			s.fail(s.pos, "a body without instructions")
		}
		if r.err = s.err; r.err != nil {
			return
		}
		r.pos = b.End
		m.Bodies = append(m.Bodies, b)
	}
}

func (p *parser) data(r *reader) {
	m := p.m
	at := r.pos
	n := r.counted(2, p.caps.Data, "data segments")
	if m.DataCount >= 0 && m.DataCount != n && r.err == nil {
		r.fail(at, "%d segments, but the data count is %d", n, m.DataCount)
		return
	}
	for range n {
		d := DataSegment{Offset: r.pos}
		switch flags := r.u32(); flags {
		case 0:
			d.At = p.expr(r)
		case 1:
			d.Mode = Passive
		case 2:
			d.Memory = r.u32()
			d.At = p.expr(r)
		default:
			r.fail(d.Offset, "a segment with flags %d", flags)
		}
		if r.err == nil && d.Mode == Active && int64(d.Memory) >= int64(len(m.Memories)) {
			r.fail(d.Offset, "a segment for memory %d of %d", d.Memory, len(m.Memories))
		}
		d.Bytes = r.bytes(r.count(1))
		d.Start = r.pos - len(d.Bytes)
		if r.err != nil {
			return
		}
		m.Data = append(m.Data, d)
	}
}

func (p *parser) mostLocals() uint64 {
	if p.caps.Locals > 0 {
		return uint64(p.caps.Locals)
	}
	return math.MaxInt32
}

// finish checks what only the whole module tells.
func (p *parser) finish() error {
	m := p.m
	if len(m.Bodies) != len(m.Funcs) {
		return &Error{Section: "code", Offset: len(m.Bytes), Text: "there are functions without a body"}
	}
	if m.DataCount > len(m.Data) {
		return &Error{Section: "data", Offset: len(m.Bytes), Text: "the data count names segments that are not there"}
	}
	seen := make(map[string]bool, len(m.Exports))
	for _, e := range m.Exports {
		have := 0
		switch e.Kind {
		case Func:
			have = m.funcs()
		case Table:
			have = len(m.Tables)
		case Memory:
			have = len(m.Memories)
		case Global:
			have = p.globals
		}
		if int64(e.Index) >= int64(have) {
			return &Error{Section: "export", Offset: e.Offset, Text: "it exports " + kindNames[e.Kind] + " " + utoa(e.Index) + " of " + utoa(uint32(have))}
		}
		if seen[e.Name] {
			return &Error{Section: "export", Offset: e.Offset, Text: "two exports have the same name"}
		}
		seen[e.Name] = true
	}
	return nil
}
