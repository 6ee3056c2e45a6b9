package wasm

import "bytes"

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

// parser reads a module section by section.
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
