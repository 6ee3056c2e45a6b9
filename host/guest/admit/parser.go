package admit

import "fmt"

// parser collects what Shape needs from a module's sections.
type parser struct {
	r       reader
	err     error
	types   []FuncType
	funcs   []uint32 // type of each function, imported ones first
	imports []Import
	exports []Export
	indices []uint32 // of exports, in their index space
	memory  uint64
}

func (p *parser) section(id byte, r reader) {
	var what string
	switch id {
	case secType:
		what = "type"
		p.typeSection(&r)
	case secImport:
		what = "import"
		p.importSection(&r)
	case secFunc:
		what = "function"
		for range r.count(1) {
			p.funcs = append(p.funcs, r.u32())
		}
	case secMemory:
		what = "memory"
		for range r.count(2) {
			p.memory = limits(&r)
		}
	case secExport:
		what = "export"
		for range r.count(3) {
			p.exports = append(p.exports, Export{Name: r.name(), Kind: ExternKind(r.byte())})
			p.indices = append(p.indices, r.u32())
			if r.err != nil {
				break
			}
		}
	default:
		return
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes are left over", len(r.b))
	}
	if r.err != nil {
		p.err = fmt.Errorf("its %s section is malformed: %w", what, r.err)
	}
}

func (p *parser) typeSection(r *reader) {
	for range r.count(3) {
		if form := r.byte(); form != 0x60 {
			r.fail("type form %#x is not a function's", form)
			return
		}
		p.types = append(p.types, FuncType{Params: string(r.bytes()), Results: string(r.bytes())})
	}
}

func (p *parser) importSection(r *reader) {
	for range r.count(4) {
		im := Import{Module: r.name(), Name: r.name(), Kind: ExternKind(r.byte())}
		switch im.Kind {
		case ExternFunc:
			t := r.u32()
			if int64(t) >= int64(len(p.types)) {
				r.fail("type %d does not exist", t)
				return
			}
			im.Type = p.types[t]
			p.funcs = append(p.funcs, t)
		case ExternTable:
			r.byte()
			limits(r)
		case ExternMemory:
			limits(r)
		case ExternGlobal, ExternTag:
			r.byte()
			r.byte()
		default:
			r.fail("an import of %s", im.Kind)
			return
		}
		p.imports = append(p.imports, im)
	}
}

// limits reads the limits of a table or memory and returns the minimum.
func limits(r *reader) uint64 {
	flags := r.byte()
	bits := 32
	if flags&4 != 0 {
		bits = 64
	}
	least := r.uint(bits)
	if flags&1 != 0 {
		r.uint(bits)
	}
	return least
}

func (p *parser) shape() (*Shape, error) {
	for i := range p.exports {
		e := &p.exports[i]
		if e.Kind != ExternFunc {
			continue
		}
		f := p.indices[i]
		if int64(f) >= int64(len(p.funcs)) || int64(p.funcs[f]) >= int64(len(p.types)) {
			return nil, fmt.Errorf("its export %q names function %d, which does not exist", e.Name, f)
		}
		e.Type = p.types[p.funcs[f]]
	}
	return &Shape{Imports: p.imports, Exports: p.exports, MemoryMin: p.memory}, nil
}
