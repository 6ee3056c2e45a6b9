package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// check appends a check. cold is the label of the cold end, cost what it
// stands for in the counted form. Operands stay where they are.
func (r *rewriter) check(cold, cost uint32) {
	r.result.Checks++
	switch r.o.Form {
	case Fast:
		r.op(wasm.OpGlobalGet, r.flag())
		r.op(wasm.OpBrIf, cold)
	case Patient:
		// The call stands behind a branch that skips it.
		r.out = append(r.out, byte(wasm.OpBlock), 0x40)
		r.op(wasm.OpGlobalGet, r.flag())
		r.plain(wasm.OpI32Eqz)
		r.op(wasm.OpBrIf, 0)
		r.op(wasm.OpGlobalGet, r.depth())
		r.op(wasm.OpCall, r.tick())
		r.plain(wasm.OpEnd)
	case Counted:
		r.op(wasm.OpGlobalGet, r.fuel())
		r.i64(int64(cost))
		r.plain(wasm.OpI64Sub)
		r.spend(cold)
	}
}

// checkHelper appends the body of the helper that is a check. It is for checks
// that follow each other in a straight line without a call between: there
// wazero would take the flag's value from a register.
func (r *rewriter) checkHelper() {
	r.out = append(r.out, 0, byte(wasm.OpBlock), 0x40) // no locals
	r.check(0, 0)
	r.plain(wasm.OpReturn, wasm.OpEnd)
	r.cold()
}

// spend makes the i64 on the stack the fuel, and stops if it is below 0.
func (r *rewriter) spend(cold uint32) {
	r.op(wasm.OpGlobalSet, r.fuel())
	r.op(wasm.OpGlobalGet, r.fuel())
	r.i64(0)
	r.plain(wasm.OpI64LtS)
	r.op(wasm.OpBrIf, cold)
}

func (r *rewriter) i64(v int64) {
	r.out = wasm.AppendS64(append(r.out, byte(wasm.OpI64Const)), v)
}

// take is the beginning of a function with a budget, right inside of $cold.
func (r *rewriter) take(cost uint32) {
	r.op(wasm.OpGlobalGet, r.depth())
	r.i32(cost)
	r.plain(wasm.OpI32Add)
	r.op(wasm.OpGlobalSet, r.depth())
	r.op(wasm.OpGlobalGet, r.depth())
	r.i32(r.o.Stack)
	r.plain(wasm.OpI32GtU)
	r.op(wasm.OpBrIf, 0)
}

// give is the end of such a function.
func (r *rewriter) give(cost uint32) {
	r.op(wasm.OpGlobalGet, r.depth())
	r.i32(cost)
	r.plain(wasm.OpI32Sub)
	r.op(wasm.OpGlobalSet, r.depth())
}

// cold appends the cold end and the function's end.
func (r *rewriter) cold() {
	r.op(wasm.OpGlobalGet, r.depth())
	r.op(wasm.OpCall, r.tick())
	r.plain(wasm.OpUnreachable, wasm.OpEnd)
}
