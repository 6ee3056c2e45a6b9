package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

func (r *rewriter) writeElements() {
	for i := range r.m.Elements {
		r.element(&r.m.Elements[i])
	}
}

// element appends an element segment; see the specification's binary format
// for the flags.
func (r *rewriter) element(e *wasm.Element) {
	flags := uint32(0)
	short := e.Mode == wasm.Active && e.Table == 0 && e.Type == wasm.FuncRef
	switch {
	case e.Mode == wasm.Passive:
		flags = 1
	case e.Mode == wasm.Declarative:
		flags = 3
	case !short:
		flags = 2
	}
	if e.Exprs {
		flags |= 4
	}
	r.u32(flags)
	if e.Mode == wasm.Active {
		if !short {
			r.u32(e.Table)
		}
		r.expr(&e.At)
	}
	if !short {
		if e.Exprs {
			r.bytes(byte(e.Type))
		} else {
			r.bytes(0)
		}
	}
	if e.Exprs {
		r.u32(uint32(len(e.Init)))
		for i := range e.Init {
			r.expr(&e.Init[i])
		}
		return
	}
	r.u32(uint32(len(e.Funcs)))
	for _, f := range e.Funcs {
		r.u32(r.defined(f))
	}
}

// writeData appends the data segments that code may refer to. Active ones have
// become passive ones of no bytes, which is what is left of them behind
// instantiation. Without a data count no instruction may name a segment, and
// none is left: wazero takes 24 bytes an instance for each, and evaluates the
// place of an active one, which for a Go guest with its tens of thousands
// would be most of the time and memory of an instance.
func (r *rewriter) writeData() error {
	for i := range r.m.Data {
		if d := &r.m.Data[i]; d.Mode == wasm.Active {
			if err := r.active(d); err != nil {
				return err
			}
		}
	}
	if r.m.DataCount < 0 && !r.o.KeepData {
		return nil
	}
	r.section(wasm.SecData, len(r.m.Data), func() {
		for i := range r.m.Data {
			d := &r.m.Data[i]
			switch {
			case d.Mode != wasm.Active:
				r.bytes(1)
			case r.o.KeepData:
				r.bytes(0)
				r.expr(&d.At)
			default:
				r.bytes(1, 0)
				continue
			}
			r.u32(uint32(len(d.Bytes)))
			r.out = append(r.out, d.Bytes...)
		}
	})
	return nil
}

// active notes an active segment for the host, which will not look at its
// place again, unless it stays in the module.
func (r *rewriter) active(d *wasm.DataSegment) error {
	if d.Memory != 0 {
		return fault("data", d.Offset, "a segment for memory %d", d.Memory)
	}
	if r.o.KeepData {
		return nil
	}
	if d.At.Op != wasm.OpI32Const {
		return fault("data", d.Offset, "a segment whose place is not a constant")
	}
	at, size := uint32(d.At.I32), uint64(r.m.Memories[0].Min)*wasm.PageSize
	if uint64(at)+uint64(len(d.Bytes)) > size {
		return fault("data", d.Offset, "a segment of %d bytes at address %d, but the memory begins with %d bytes", len(d.Bytes), at, size)
	}
	r.result.Data = append(r.result.Data, Segment{At: at, From: uint32(d.Start), Bytes: d.Bytes})
	return nil
}
