// Package admit looks at a module before anything compiles it: which
// functions it imports and exports, and whether a host can run it as a step.
// It allocates in proportion to the module's bytes, never from a count that
// the module claims.
package admit

import (
	"bytes"
	"errors"
	"fmt"
)

// PageSize is the unit of a memory's limits.
const PageSize = 64 << 10

// FuncType is a signature: the value types as the binary format writes them,
// one byte each (0x7f i32, 0x7e i64, 0x7d f32, 0x7c f64).
type FuncType struct{ Params, Results string }

// ExternKind is what an import or export is.
type ExternKind byte

// The kinds, with the numbers of the binary format.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
	ExternTag
)

// String returns the kind as the text format writes it.
func (k ExternKind) String() string {
	if int(k) < len(externNames) {
		return externNames[k]
	}
	return fmt.Sprintf("kind %d", byte(k))
}

var externNames = [...]string{"func", "table", "memory", "global", "tag"}

// Import is one import. Type is set for functions.
type Import struct {
	Module, Name string
	Kind         ExternKind
	Type         FuncType
}

// Export is one export. Type is set for functions.
type Export struct {
	Name string
	Kind ExternKind
	Type FuncType
}

// Shape is a module seen from outside.
type Shape struct {
	Imports   []Import
	Exports   []Export
	MemoryMin uint64 // pages of the module's own memory at its start, 0 without one
}

// Export returns the export of that name.
func (s *Shape) Export(name string) (Export, bool) {
	for _, e := range s.Exports {
		if e.Name == name {
			return e, true
		}
	}
	return Export{}, false
}

var (
	header    = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	component = []byte{0, 'a', 's', 'm', 0x0d, 0, 1, 0}
)

// Sections that Read looks into.
const (
	secType   = 1
	secImport = 2
	secFunc   = 3
	secMemory = 5
	secExport = 7
)

// Read reads the parts of a core module that Shape holds; the rest is
// skipped by length and left to the compiler's validation.
func Read(wasm []byte) (*Shape, error) {
	switch {
	case bytes.HasPrefix(wasm, component):
		return nil, errors.New("it is a WebAssembly component; wasmill runs core modules: build for wasm32-wasip1 without componentizing")
	case !bytes.HasPrefix(wasm, header[:4]):
		return nil, errors.New(`it is not WebAssembly: it does not begin with "\0asm"`)
	case !bytes.HasPrefix(wasm, header):
		return nil, fmt.Errorf("its WebAssembly version % x is not known; wasmill runs core modules of version 1", wasm[4:min(8, len(wasm))])
	}
	p := parser{r: reader{b: wasm[8:], off: 8}}
	for len(p.r.b) > 0 {
		id := p.r.byte()
		n := p.r.count(1)
		if p.r.err != nil {
			return nil, p.r.err
		}
		p.section(id, reader{b: p.r.b[:n], off: p.r.off})
		if p.err != nil {
			return nil, p.err
		}
		p.r.skip(n)
	}
	return p.shape()
}
