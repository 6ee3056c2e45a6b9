package wasmgen

import "github.com/wasmill/wasmill/host/guest/wasm"

func (b *body) statements(n, deep int) {
	for range n {
		b.statement(deep)
	}
}

func (b *body) statement(deep int) {
	if deep <= 0 || b.left < 0 {
		b.emit(wasm.OpNop)
		return
	}
	switch b.n(12) {
	case 0, 1, 2:
		o := b.all[b.n(len(b.all))]
		if (o.Op == wasm.OpDataDrop || o.Op == wasm.OpElemDrop) && !b.one(8) {
			return
		}
		b.apply(o, deep)
		if o.out != 0 {
			b.sink(string(o.out))
		}
	case 3, 4:
		sig := b.signature(2)
		_, out := split(sig)
		b.block(sig, deep-1)
		b.sink(out)
	case 5, 6:
		sig := b.signature(2)
		_, out := split(sig)
		b.loop(sig, deep-1)
		b.sink(out)
	case 7:
		sig := b.signature(2)
		_, out := split(sig)
		b.branch(sig, deep-1)
		b.sink(out)
	case 8, 9:
		b.branchIf(deep)
	case 10:
		if b.imported > 0 && b.one(2) {
			b.values("il", deep-1)
			b.emit(wasm.OpCall, 0)
			b.sink("l")
			return
		}
		fallthrough
	default:
		f := b.n(len(b.inners))
		b.call(f, deep-1)
		b.sink(b.results(f))
	}
}

// signature returns a random one with at most n values on each side.
func (g *gen) signature(n int) string {
	var s []byte
	for range g.n(n + 1) {
		s = append(s, letters[g.n(len(letters))])
	}
	s = append(s, ':')
	for range g.n(n + 1) {
		s = append(s, letters[g.n(len(letters))])
	}
	return string(s)
}

// block emits a block whose parameters and results are sig.
func (b *body) block(sig string, deep int) {
	in, out := split(sig)
	b.values(in, deep)
	b.emit(wasm.OpBlock)
	b.blockType(sig)
	b.enter(label{types: out})
	b.sink(in)
	b.arm(out, deep)
	b.leave()
}

// branch emits an if with both arms, or with one if nothing comes out.
func (b *body) branch(sig string, deep int) {
	in, out := split(sig)
	b.values(in, deep)
	b.value('i', deep)
	b.emit(wasm.OpIf)
	b.blockType(sig)
	b.enter(label{types: out})
	b.sink(in)
	b.arm(out, deep)
	if sig != ":" || b.one(2) {
		b.emit(wasm.OpElse)
		b.sink(in)
		b.arm(out, deep)
	}
	b.leave()
}

// loop emits a loop that ends after a few trips.
func (b *body) loop(sig string, deep int) {
	in, out := split(sig)
	counter := b.counter()
	b.values(in, deep)
	b.number(int32(2 + b.n(4)))
	b.emit(wasm.OpLocalSet)
	b.u32(counter)
	b.emit(wasm.OpLoop)
	b.blockType(sig)
	b.enter(label{types: in, counter: counter, loop: true})
	b.sink(in)
	b.statements(1+b.n(3), deep)
	b.values(in, 1)
	b.again(counter)
	b.emit(wasm.OpBrIf, 0)
	b.sink(in)
	b.values(out, deep)
	b.leave()
}

// counter returns a local that nothing else uses.
func (b *body) counter() uint32 { return b.addLocal('c') }

// again takes one off a counter and leaves whether another trip is due.
func (b *body) again(counter uint32) {
	b.emit(wasm.OpLocalGet)
	b.u32(counter)
	b.number(1)
	b.emit(wasm.OpI32Sub)
	b.emit(wasm.OpLocalTee)
	b.u32(counter)
	b.number(0)
	b.emit(0x4a) // i32.gt_s
}

func (b *body) enter(l label) { b.labels = append(b.labels, l) }

func (b *body) leave() {
	b.labels = b.labels[:len(b.labels)-1]
	b.emit(wasm.OpEnd)
}

// arm emits what is inside of a block: it ends with its results, or with a
// branch and code that is never reached.
func (b *body) arm(out string, deep int) {
	if b.straight {
		b.values(out, deep)
		return
	}
	b.statements(b.n(3), deep)
	if deep > 0 && b.one(4) {
		b.jump(deep)
		b.dead()
		return
	}
	b.values(out, deep)
}

// jump leaves the block in one of the ways that never fall through.
func (b *body) jump(deep int) {
	switch b.n(12) {
	case 0:
		b.emit(wasm.OpUnreachable)
	case 1, 2:
		b.values(b.labels[0].types, deep-1)
		b.emit(wasm.OpReturn)
	case 3, 4, 5, 6:
		b.branchTable(deep)
	default:
		to := b.target()
		b.values(b.labels[to].types, deep-1)
		b.emit(wasm.OpBr)
		b.u32(b.relative(to))
	}
}

// target returns a label that is not a loop's.
func (b *body) target() int {
	to := b.n(len(b.labels))
	for b.labels[to].loop {
		to--
	}
	return to
}

func (b *body) relative(to int) uint32 { return uint32(len(b.labels) - 1 - to) }

// branchIf emits br_if: to a loop as long as its counter allows.
func (b *body) branchIf(deep int) {
	to := b.n(len(b.labels))
	l := b.labels[to]
	b.values(l.types, deep-1)
	if l.loop {
		b.again(l.counter)
	} else {
		b.value('i', deep-1)
	}
	b.emit(wasm.OpBrIf)
	b.u32(b.relative(to))
	b.sink(l.types)
}

func (b *body) branchTable(deep int) {
	to := b.target()
	same := []int{to}
	for i, l := range b.labels {
		if !l.loop && l.types == b.labels[to].types {
			same = append(same, i)
		}
	}
	b.values(b.labels[to].types, deep-1)
	if i := len(b.labels) - 1; b.labels[i].loop && b.labels[i].types == b.labels[to].types {
		b.again(b.labels[i].counter)
		b.emit(wasm.OpBrTable, 1)
		b.u32(b.relative(to))
		b.u32(0)
		return
	}
	n := b.n(6)
	b.bounded(deep-1, 7)
	b.emit(wasm.OpBrTable)
	b.u32(uint32(n))
	for range n + 1 {
		b.u32(b.relative(same[b.n(len(same))]))
	}
}

// dead emits code behind a jump, where the stack gives whatever is asked for.
func (b *body) dead() {
	for range b.n(3) {
		o := b.all[b.n(len(b.all))]
		switch {
		case o.Op == wasm.OpRefIsNull:
			continue // its operand must be known
		case b.one(4):
			b.emit(wasm.OpBlock, 0x40)
			b.emit(wasm.OpUnreachable)
			b.emit(wasm.OpBr, 1)
			b.emit(wasm.OpEnd)
		case b.one(4):
			b.emit(wasm.OpDrop)
		}
		b.bare(o)
		if o.out != 0 {
			b.emit(wasm.OpDrop)
		}
	}
}

// returning returns a function whose first result is t.
func (b *body) returning(t byte) (int, bool) {
	from := b.n(len(b.inners))
	for i := range b.inners {
		f := (from + i) % len(b.inners)
		if r := b.results(f); r != "" && r[0] == t {
			return f, true
		}
	}
	return 0, false
}

func (b *body) results(f int) string {
	_, out := split(b.inners[f])
	return out
}

// call calls one of the inner functions, directly or through the table.
func (b *body) call(f, deep int) {
	in, _ := split(b.inners[f])
	if b.depth {
		b.emit(wasm.OpLocalGet, 0)
		b.number(1)
		b.emit(wasm.OpI32Sub)
	} else {
		b.number(int32(2 + b.n(5)))
	}
	b.values(in[1:], deep)
	if b.one(2) {
		b.emit(wasm.OpCall)
		b.u32(uint32(b.imported + f))
		return
	}
	table := uint32(tableCalls)
	if b.one(40) {
		b.bounded(deep, 7)
		table = uint32(b.n(2)) // tableCalls or tableFuncs
	} else {
		b.number(int32(f))
	}
	b.emit(wasm.OpCallIndirect)
	b.u32(b.typeOf(b.inners[f]))
	b.u32(table)
}

// blockType emits the shortest form of a block's type.
func (b *body) blockType(sig string) {
	in, out := split(sig)
	switch {
	case sig == ":":
		b.code = append(b.code, 0x40)
	case in == "" && len(out) == 1:
		b.code = append(b.code, byte(valueTypes[out[0]]))
	default:
		b.code = wasm.AppendS64(b.code, int64(b.typeOf(sig)))
	}
}
