package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// writeNames appends the names of functions, with those of the helpers. A
// malformed section is dropped.
func (r *rewriter) writeNames() {
	count := 0
	if !r.m.FunctionNames(func(uint32, []byte) { count++ }) {
		return
	}
	section := r.begin(wasm.SecCustom)
	r.name("name")
	functions := r.begin(1)
	r.u32(uint32(count + r.helpers.count()))
	r.m.FunctionNames(func(f uint32, name []byte) {
		r.u32(r.defined(f))
		r.u32(uint32(len(name)))
		r.out = append(r.out, name...)
	})
	next := uint32(len(r.types)) + 1
	r.helpers.each(func(h helper) {
		r.u32(next)
		r.name(h.name())
		next++
	})
	r.end(functions)
	r.end(section)
}
