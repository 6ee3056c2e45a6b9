// Package wasmtest assembles WebAssembly modules from Go, for tests and for
// the guests that need no language: well-behaved ones and hostile ones.
package wasmtest

import "encoding/binary"

// Module is a module under assembly. Imports come before functions.
type Module struct {
	types   [][]byte
	imports [][]byte
	funcs   []function
	exports [][]byte
	data    [][]byte
	names   []string // of the functions, imported ones first
	table   []byte
	memory  []byte
	start   []byte
}

type function struct {
	typ    uint32
	locals string
	code   []byte
}

// New returns an empty module.
func New() *Module { return &Module{} }

// Import adds an imported function and returns its index. A signature is
// written with one letter a value: i for i32, l for i64.
func (m *Module) Import(module, name, params, results string) uint32 {
	b := append(str(module), str(name)...)
	b = append(b, 0)
	m.imports = append(m.imports, append(b, uleb(uint64(m.typ(params, results)))...))
	m.names = append(m.names, name)
	return uint32(len(m.names) - 1)
}

// Func adds a function with the given locals behind its parameters and
// returns its index. The code needs no end.
func (m *Module) Func(name, params, results, locals string, code ...[]byte) uint32 {
	m.funcs = append(m.funcs, function{m.typ(params, results), locals, join(code)})
	m.names = append(m.names, name)
	return uint32(len(m.names) - 1)
}

// ExportFunc is Func and an export of the same name.
func (m *Module) ExportFunc(name, params, results, locals string, code ...[]byte) uint32 {
	f := m.Func(name, params, results, locals, code...)
	m.Export(name, 0, f)
	return f
}

// Export exports item index of the kind that the binary format numbers so.
func (m *Module) Export(name string, kind byte, index uint32) {
	b := append(str(name), kind)
	m.exports = append(m.exports, append(b, uleb(uint64(index))...))
}

// Memory gives the module a memory of least pages, exported as "memory".
func (m *Module) Memory(least uint32) {
	m.memory = append([]byte{1, 0}, uleb(uint64(least))...)
	m.Export("memory", 2, 0)
}

// Table gives the module a table of least functions and no maximum.
func (m *Module) Table(least uint32) { m.table = append([]byte{1, 0x70, 0}, uleb(uint64(least))...) }

// Start makes f the start function.
func (m *Module) Start(f uint32) { m.start = uleb(uint64(f)) }

// Data fills memory from address at on.
func (m *Module) Data(at int32, b []byte) {
	d := join([][]byte{{0}, Const(at), {0x0b}, uleb(uint64(len(b))), b})
	m.data = append(m.data, d)
}

// Bytes returns the module in the binary format.
func (m *Module) Bytes() []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	var types, code [][]byte
	for _, f := range m.funcs {
		types = append(types, uleb(uint64(f.typ)))
		body := uleb(uint64(len(f.locals)))
		for _, l := range f.locals {
			body = append(body, 1, valueType(l))
		}
		body = append(append(body, f.code...), 0x0b)
		code = append(code, append(uleb(uint64(len(body))), body...))
	}
	b = section(b, 1, m.types)
	b = section(b, 2, m.imports)
	b = section(b, 3, types)
	if m.table != nil {
		b = append(append(b, 4, byte(len(m.table))), m.table...)
	}
	if m.memory != nil {
		b = append(append(b, 5), uleb(uint64(len(m.memory)))...)
		b = append(b, m.memory...)
	}
	b = section(b, 7, m.exports)
	if m.start != nil {
		b = append(append(b, 8, byte(len(m.start))), m.start...)
	}
	b = section(b, 10, code)
	b = section(b, 11, m.data)
	return m.nameSection(b)
}

func (m *Module) nameSection(b []byte) []byte {
	sub := uleb(uint64(len(m.names)))
	for i, n := range m.names {
		sub = append(append(sub, uleb(uint64(i))...), str(n)...)
	}
	body := append(str("name"), 1)
	body = append(append(body, uleb(uint64(len(sub)))...), sub...)
	return append(append(append(b, 0), uleb(uint64(len(body)))...), body...)
}

func (m *Module) typ(params, results string) uint32 {
	t := append([]byte{0x60}, signature(params)...)
	t = append(t, signature(results)...)
	for i, have := range m.types {
		if string(have) == string(t) {
			return uint32(i)
		}
	}
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

func signature(s string) []byte {
	b := uleb(uint64(len(s)))
	for _, c := range s {
		b = append(b, valueType(c))
	}
	return b
}

func valueType(c rune) byte {
	if c == 'l' {
		return 0x7e
	}
	return 0x7f
}

func section(b []byte, id byte, entries [][]byte) []byte {
	if len(entries) == 0 {
		return b
	}
	body := append(uleb(uint64(len(entries))), join(entries)...)
	return append(append(append(b, id), uleb(uint64(len(body)))...), body...)
}

func str(s string) []byte { return append(uleb(uint64(len(s))), s...) }

func uleb(v uint64) []byte { return binary.AppendUvarint(nil, v) }

func sleb(v int64) (b []byte) {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func join(parts [][]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}
