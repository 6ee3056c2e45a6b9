package admit

import (
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Host lists the functions that a host offers: by import module, then by name.
type Host map[string]map[string]FuncType

// own begins the names of exports that the host adds to a module.
const own = "wasmill:"

// i32 is the type of addresses, lengths and statuses.
const i32 = "\x7f"

var exports = []struct {
	name     string
	typ      FuncType
	optional bool
}{
	{abi.ExportMarker, FuncType{}, false},
	{abi.ExportAlloc, FuncType{i32, i32}, false},
	{abi.ExportInit, FuncType{i32 + i32, i32}, false},
	{abi.ExportProcess, FuncType{i32 + i32 + i32, i32}, false},
	{abi.ExportInitialize, FuncType{}, true},
}

// Check reports everything that keeps a host from running the module as a
// step: exports that are missing or have the wrong signature, imports that
// the host does not offer, a memory that begins above limit bytes. A program
// may import from WASI alone. The error is of type Faults, unless the module
// is no step of this version at all.
func (m *Module) Check(host Host, limit uint64) error {
	if err := m.checkForm(); err != nil {
		return err
	}
	exports := exports
	if m.Program() {
		exports, host = nil, Host{WASI: host[WASI]}
	}
	var faults Faults
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	add(m.checkMemory(limit))
	if m.Program() {
		add(m.checkExport(abi.ExportStart, FuncType{}, false))
	}
	for _, want := range exports {
		add(m.checkExport(want.name, want.typ, want.optional))
	}
	for i := range m.Exports {
		if e := &m.Exports[i]; strings.HasPrefix(e.Name, own) {
			add(at("export", e.Offset, "its export %s has a name that begins with %s, which is the host's own: rename it", quote(e.Name), own))
		}
	}
	for i := range m.Imports {
		add(m.checkImport(&m.Imports[i], host))
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// Program reports whether the module is a program, which has _start and
// speaks over fd 0 and 1 instead of exporting functions.
func (m *Module) Program() bool { return m.ABI() == "" && m.Export(abi.ExportStart) != nil }

// ABI returns the version of wasmill's interface that the module is built
// for, as its marker says; "" if it has none.
func (m *Module) ABI() string {
	if m.Export(abi.ExportMarker) != nil {
		return strings.TrimPrefix(abi.ExportMarker, marker)
	}
	for _, e := range m.Exports {
		if v, ok := strings.CutPrefix(e.Name, marker); ok {
			return v
		}
	}
	return ""
}

const marker = "wasmill_abi_"

// checkForm tells apart modules that are no step of version 1 at all.
func (m *Module) checkForm() error {
	if m.Export(abi.ExportMarker) != nil {
		return nil
	}
	if v := m.ABI(); v != "" {
		return fmt.Errorf("it is built for version %s of wasmill's interface, this build supports %d: build it with an SDK of that version, or run it with a newer wasmill", quote(v), abi.Version)
	}
	if m.Program() {
		return nil
	}
	return fmt.Errorf("it is not a wasmill step: it does not export the marker %s; build it with a wasmill SDK, and let its source declare a step", abi.ExportMarker)
}

func (m *Module) checkMemory(limit uint64) error {
	if e := m.Export(abi.ExportMemory); e == nil || e.Kind != wasm.Memory {
		return fmt.Errorf("it does not export its memory as %q", abi.ExportMemory)
	}
	memory := &m.Memories[0]
	if pages := uint64(memory.Min); pages > limit/wasm.PageSize {
		return at("memory", memory.Offset, "its memory begins with %d bytes, the limit is %d: raise limits.memory", pages*wasm.PageSize, limit)
	}
	return nil
}

func (m *Module) checkExport(name string, want FuncType, optional bool) error {
	e := m.Export(name)
	switch {
	case e == nil && optional:
		return nil
	case e == nil:
		return fmt.Errorf("it does not export %s %s", name, want)
	case e.Kind != wasm.Func:
		return at("export", e.Offset, "its export %s is a %s, not a function", name, e.Kind)
	}
	if got := Signature(m.FuncTypeOf(e.Index), m.Module); got != want {
		return at("export", e.Offset, "its export %s is %s, not %s", name, got, want)
	}
	return nil
}

// at is a fault with its place.
func at(section string, offset int, format string, args ...any) error {
	return &wasm.Error{Section: section, Offset: offset, Text: fmt.Sprintf(format, args...)}
}
