package wasm

import "strconv"

var kindNames = [...]string{"function", "table", "memory", "global", "tag"}

// String returns what the kind is called.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

func utoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// elements reads the element section. A segment's flags: bit 0 passive or
// declarative; bit 1 an explicit table, or declarative if bit 0 is set; bit 2
// expressions in place of function indices.
func (p *parser) elements(r *reader) {
	m := p.m
	for range r.counted(2, p.caps.Elements, "element segments") {
		at := r.pos
		flags := r.u32()
		if flags > 7 {
			r.fail(at, "a segment with flags %d", flags)
			return
		}
		e := Element{Type: FuncRef, Exprs: flags&4 != 0}
		switch {
		case flags&1 == 0:
			if flags&2 != 0 {
				e.Table = r.u32()
			}
			if int64(e.Table) >= int64(len(m.Tables)) {
				r.fail(at, "a segment for table %d of %d", e.Table, len(m.Tables))
				return
			}
			e.At = p.expr(r)
		case flags&2 != 0:
			e.Mode = Declarative
		default:
			e.Mode = Passive
		}
		if flags&3 != 0 { // the kind or type of its entries is written
			if e.Exprs {
				e.Type = refType(r)
			} else if kind := r.byte(); kind != 0 {
				r.fail(at, "a segment of element kind %d", kind)
			}
		}
		p.inits(r, &e)
		if r.err != nil {
			return
		}
		m.Elements = append(m.Elements, e)
	}
}

func (p *parser) inits(r *reader, e *Element) {
	at := r.pos
	n := r.count(1)
	if p.entries += n; p.caps.Entries > 0 && p.entries > p.caps.Entries {
		r.over(at, "entries of element segments", "%d entries of element segments, at most %d are allowed", p.entries, p.caps.Entries)
		return
	}
	if e.Exprs {
		for range n {
			e.Init = append(e.Init, p.expr(r))
		}
		return
	}
	e.Funcs = make([]uint32, 0, n)
	for range n {
		at := r.pos
		f := r.u32()
		if int64(f) >= int64(p.m.funcs()) {
			r.fail(at, "function %d of %d", f, p.m.funcs())
			return
		}
		e.Funcs = append(e.Funcs, f)
	}
}
