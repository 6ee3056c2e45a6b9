package admit

import (
	"fmt"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Limit names one limit: an index of Limits and Table.
type Limit int

// The limits.
const (
	Bytes Limit = iota
	Types
	Values
	Imports
	Functions
	Tables
	TableMin
	Memories
	Globals
	Exports
	Elements
	Entries
	Data
	BodyBytes
	Locals
	AllLocals
	Nesting
	Targets
	Effort
	Customs
	CustomBytes
	NameBytes
	limits // their number
)

// Limits are the limits of modules. 0 stands for the default, which Table has.
type Limits [limits]int

// Row is what there is to know of a limit.
type Row struct {
	What    string // as messages call it, in the plural
	Default int
	Why     string // the reason of the default
	Do      string // what somebody does whose module is refused
}

// Table returns the limits in their order.
func Table() []Row { return append([]Row(nil), table[:]...) }

const smaller = "make a smaller module, or split the step in two"

// The largest of real modules that the reasons name were counted in CPython
// 3.12, Ruby 3.4, QuickJS-NG and the Go compiler built for wasip1.
var table = [limits]Row{
	Bytes:       {"bytes", 64 << 20, "Go's compiler has 49 MB, Ruby with its library 31 MB", "build without debug data (strip it), and read data from a source instead of embedding it"},
	Types:       {"types", 100_000, "real modules have some hundreds", smaller},
	Values:      {"values of a type", 1000, "what browsers allow; real ones have 18", "pass a pointer to memory instead"},
	Imports:     {"imports", 1000, "all functions of this host are fewer than 100", "link the libraries that the step needs into it"},
	Functions:   {"functions", 200_000, "Go's compiler has 20,000, Ruby 18,000", smaller},
	Tables:      {"tables", 8, "toolchains make one; each instance pays for all", "use one table for all functions"},
	TableMin:    {"entries of a table at its start", 100_000, "Go's compiler has 24,000, Ruby 9,000; each instance pays 8 bytes an entry", smaller},
	Memories:    {"memories", 1, "more than one memory is not supported by the engine", "build without the multi-memory feature"},
	Globals:     {"globals", 10_000, "toolchains make fewer than 20; each instance pays for all", "keep values in memory"},
	Exports:     {"exports", 10_000, "a step needs 5", "export only what wasmill's interface names"},
	Elements:    {"element segments", 100_000, "toolchains make one", smaller},
	Entries:     {"entries of element segments", 100_000, "Go's compiler has 20,000; each instance pays 60 bytes and half a microsecond an entry", smaller},
	Data:        {"data segments", 200_000, "Go's linker cuts data at zeroes, into 100,000 segments at most", "read data from a source instead of embedding it"},
	BodyBytes:   {"bytes of a function", 1 << 20, "the largest of Go's compiler has 666 KB, of Ruby 138 KB", "split the function"},
	Locals:      {"locals of a function", 50_000, "what browsers allow; the largest have 190", "split the function"},
	AllLocals:   {"locals", 2_000_000, "the compiler has a byte for each before anything else; Ruby has 110,000", smaller},
	Nesting:     {"blocks inside each other", 10_000, "Go nests a block for each piece of a function: 550 in a small guest, 7,700 in its compiler", "split the function"},
	Targets:     {"targets of a br_table", 16_384, "Go has one for each place that a function is resumed at: 964 in a small guest, 12,000 in its compiler", "split the function, or look the values up in data"},
	Effort:      {"ms of the compiler beyond 10 s a MB", 30_000, "Ruby has 16,000; see effort.go for the estimate", "split the function"},
	Customs:     {"custom sections", 1000, "toolchains make ten", "strip the module"},
	CustomBytes: {"bytes of custom sections", 64 << 20, "a debug build of Ruby has 19 MB", "strip the module"},
	NameBytes:   {"bytes of a name", 4096, "mangled names of C++ stay below", "give imports, exports and sections shorter names"},
}

// orDefaults returns l with defaults in place of zeroes.
func (l Limits) orDefaults() *Limits {
	for i := range l {
		if l[i] == 0 {
			l[i] = table[i].Default
		}
	}
	return &l
}

// caps are the limits that the parser holds while it allocates.
func (l *Limits) caps() wasm.Caps {
	return wasm.Caps{
		Types: l[Types], Values: l[Values], Imports: l[Imports], Functions: l[Functions], Tables: l[Tables], Memories: l[Memories],
		Globals: l[Globals], Exports: l[Exports], Elements: l[Elements], Entries: l[Entries], Data: l[Data],
		Body: l[BodyBytes], Locals: l[Locals], AllLocals: l[AllLocals], Customs: l[Customs], Name: l[NameBytes],
	}
}

// check returns the error about limit i if m has more.
func (l *Limits) check(m *Module, i Limit, section string, at int) error {
	if m.Have[i] <= l[i] {
		return nil
	}
	r := &table[i]
	return &wasm.Error{
		Section: section, Offset: at, Over: r.What,
		Text: fmt.Sprintf("%d %s, at most %d are allowed: %s", m.Have[i], r.What, l[i], r.Do),
	}
}
