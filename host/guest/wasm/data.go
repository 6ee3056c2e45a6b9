package wasm

// data reads the data section.
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
