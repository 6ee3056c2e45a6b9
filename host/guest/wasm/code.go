package wasm

import "math"

// code reads the code section, but for the instructions: see Code.
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

func (p *parser) mostLocals() uint64 {
	if p.caps.Locals > 0 {
		return uint64(p.caps.Locals)
	}
	return math.MaxInt32
}
