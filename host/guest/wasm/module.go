// Package wasm reads the WebAssembly binary format, core version 2: a
// module's structure, and its code one instruction at a time.
//
// It is bounded: nothing is allocated from a count that the module claims,
// nothing recurses, and the time is linear in the bytes. It checks structure
// (sections, order, lengths, the ranges of indices) and not types: whether
// code is valid, the compiler decides. What it accepts can be taken apart and
// written again; see Append* for the other direction.
package wasm

// ValueType is a value type as the binary format writes it.
type ValueType byte

// The value types of core version 2.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

// Kind is what an import or export is, as the binary format numbers it.
type Kind byte

// The kinds. A tag belongs to exceptions, which are not accepted.
const (
	Func Kind = iota
	Table
	Memory
	Global
	Tag
)

// FuncType is a signature.
type FuncType struct{ Params, Results []ValueType } // views of the module

const (
	// PageSize is the unit of a memory's limits, in bytes.
	PageSize = 64 << 10

	// MostPages is the most that the memory of an instance has: a page less
	// than 4 GiB, since the address behind its end could not be told from 0.
	MostPages = 1<<16 - 1
)

// Limits are those of a table (entries) or a memory (pages).
type Limits struct {
	Min, Max uint32
	HasMax   bool
	Offset   int // of the limits in the module
}

// TableType is a table's element type and size.
type TableType struct {
	Elem ValueType
	Limits
}

// GlobalType is a global's type.
type GlobalType struct {
	Type    ValueType
	Mutable bool
}

// Import is one import; which of the types is set depends on Kind.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         uint32 // index, of a function
	Table        TableType
	Memory       Limits
	Global       GlobalType
	Offset       int // of the import in the module
}

// Export is one export.
type Export struct {
	Name   string
	Kind   Kind
	Index  uint32
	Offset int // of the export in the module
}

// Expr is a constant expression: one instruction.
type Expr struct {
	Op    Op     // OpI32Const .. OpF64Const, OpV128Const, OpGlobalGet, OpRefNull, OpRefFunc
	Index uint32 // of OpGlobalGet and OpRefFunc
	I32   int32  // of OpI32Const
	Bytes []byte // the whole expression with its end, a view
}

// GlobalDef is a global that the module defines.
type GlobalDef struct {
	GlobalType
	Init Expr
}

// Mode says when a segment is applied.
type Mode byte

// The modes of segments. A declarative one only names functions.
const (
	Active Mode = iota
	Passive
	Declarative
)

// Element is an element segment.
type Element struct {
	Mode  Mode
	Table uint32
	At    Expr // offset, of an active one
	Type  ValueType
	Exprs bool   // written as expressions rather than as indices
	Init  []Expr // if Exprs
	Funcs []uint32
}

// DataSegment is a data segment.
type DataSegment struct {
	Mode   Mode
	Memory uint32
	At     Expr   // offset, of an active one
	Bytes  []byte // a view
	Start  int    // of Bytes in the module
	Offset int    // of the segment in the module
}

// Body is the code of one function that the module defines.
type Body struct {
	Offset  int  // of the body, behind its size
	Code    int  // of the first instruction, behind the locals
	End     int  // behind the last byte
	Locals  int  // number of declared locals, parameters not among them
	Vectors bool // a declared local is a v128
}

// Section is a section as it lies in the module. Its contents are [Start, End).
type Section struct {
	ID         byte
	Name       string // of a custom section
	Start, End int    // of a custom section: behind its name
}

// Title returns what the specification calls the section; of a custom one
// its name.
func (s *Section) Title() string {
	if s.ID == SecCustom {
		return s.Name
	}
	return sectionNames[s.ID]
}

// The sections by number.
const (
	SecCustom byte = iota
	SecType
	SecImport
	SecFunction
	SecTable
	SecMemory
	SecGlobal
	SecExport
	SecStart
	SecElement
	SecCode
	SecData
	SecDataCount
)

// Module is a module taken apart. Slices and strings are views of Bytes, or
// as good as: it must not change while the Module is in use.
type Module struct {
	Bytes     []byte
	Sections  []Section
	Types     []FuncType
	Imports   []Import
	Funcs     []uint32 // types of the functions that the module defines
	Tables    []TableType
	Memories  []Limits
	Globals   []GlobalDef
	Exports   []Export
	Start     int // function index, -1 without
	Elements  []Element
	DataCount int // -1 without
	Bodies    []Body
	Data      []DataSegment

	ImportedFuncs   int
	ImportedTables  int
	ImportedGlobals int
}

// FuncTypeOf returns the index of the type of function f, which exists.
func (m *Module) FuncTypeOf(f uint32) uint32 {
	if int(f) >= m.ImportedFuncs {
		return m.Funcs[int(f)-m.ImportedFuncs]
	}
	for i := range m.Imports {
		if m.Imports[i].Kind != Func {
			continue
		}
		if f == 0 {
			return m.Imports[i].Type
		}
		f--
	}
	return 0
}

// Export returns the export of that name, nil without one.
func (m *Module) Export(name string) *Export {
	for i := range m.Exports {
		if m.Exports[i].Name == name {
			return &m.Exports[i]
		}
	}
	return nil
}

// Custom returns the contents of the first custom section of that name.
func (m *Module) Custom(name string) ([]byte, bool) {
	for _, s := range m.Sections {
		if s.ID == SecCustom && s.Name == name {
			return m.Bytes[s.Start:s.End], true
		}
	}
	return nil, false
}
