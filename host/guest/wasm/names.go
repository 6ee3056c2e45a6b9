package wasm

import "unicode/utf8"

// FunctionNames calls f with each function that the name section names, in
// ascending order of their indices; names are views of the module. It returns
// false if there is no such section or it is malformed: then f may have been
// called for a part of it.
func (m *Module) FunctionNames(f func(index uint32, name []byte)) bool {
	section, ok := m.Custom("name")
	if !ok {
		return false
	}
	r := reader{b: section, end: len(section), section: "name"}
	for r.left() > 0 && r.err == nil {
		id := r.byte()
		body := r.bytes(r.count(1))
		if id == 1 && r.err == nil {
			return m.functionNames(reader{b: body, end: len(body), section: "name"}, f)
		}
	}
	return false
}

func (m *Module) functionNames(r reader, f func(index uint32, name []byte)) bool {
	next := uint32(0)
	for range r.count(2) {
		index := r.u32()
		name := r.bytes(r.count(1))
		if r.err != nil || index < next || int64(index) >= int64(m.funcs()) || !utf8.Valid(name) {
			return false
		}
		f(index, name)
		next = index + 1
	}
	return r.err == nil && r.left() == 0
}
