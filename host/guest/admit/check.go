package admit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/abi"
)

// WASI is the import module of WASI preview 1.
const WASI = "wasi_snapshot_preview1"

// Host lists the functions that a host offers: by import module, then by name.
type Host map[string]map[string]FuncType

// Value types in short.
const (
	i32 = "\x7f"
	i64 = "\x7e"
)

var exports = []struct {
	name string
	typ  FuncType
}{
	{abi.ExportMarker, FuncType{}},
	{abi.ExportAlloc, FuncType{i32, i32}},
	{abi.ExportInit, FuncType{i32 + i32, i32}},
	{abi.ExportProcess, FuncType{i32 + i32 + i32, i32}},
}

// Check reports everything that keeps a host from running the module as a
// step: exports that are missing or have the wrong signature, imports that
// the host does not offer, a memory that begins above limit bytes.
func (s *Shape) Check(host Host, limit uint64) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	var faults []error
	if e, ok := s.Export(abi.ExportMemory); !ok || e.Kind != ExternMemory {
		faults = append(faults, fmt.Errorf("it does not export its memory as %q", abi.ExportMemory))
	}
	for _, want := range exports {
		faults = append(faults, s.checkExport(want.name, want.typ, true))
	}
	faults = append(faults, s.checkExport(abi.ExportInitialize, FuncType{}, false))
	for _, im := range s.Imports {
		faults = append(faults, checkImport(im, host))
	}
	if need := s.MemoryMin * PageSize; s.MemoryMin > limit/PageSize {
		faults = append(faults, fmt.Errorf("its memory begins with %d bytes, the limit is %d: raise limits.memory", need, limit))
	}
	return joinFew(faults)
}

// checkForm tells apart modules that are no step of version 1 at all.
func (s *Shape) checkForm() error {
	if _, ok := s.Export(abi.ExportMarker); ok {
		return nil
	}
	const marker = "wasmill_abi_"
	for _, e := range s.Exports {
		if strings.HasPrefix(e.Name, marker) {
			return fmt.Errorf("it is built for version %s of wasmill's interface, this build has version %d", e.Name[len(marker):], abi.Version)
		}
	}
	if _, ok := s.Export("_start"); ok {
		return errors.New("it is a program with _start that would run over stdin and stdout, which this build does not support: build it as a library (reactor) with a wasmill SDK")
	}
	return fmt.Errorf("it is not a wasmill step: it does not export the marker %s; build it with a wasmill SDK", abi.ExportMarker)
}

func (s *Shape) checkExport(name string, want FuncType, required bool) error {
	e, ok := s.Export(name)
	switch {
	case !ok && required:
		return fmt.Errorf("it does not export %s %s", name, want)
	case !ok:
		return nil
	case e.Kind != ExternFunc:
		return fmt.Errorf("its export %s is a %s, not a function", name, e.Kind)
	case e.Type != want:
		return fmt.Errorf("its export %s is %s, not %s", name, e.Type, want)
	}
	return nil
}

func checkImport(im Import, host Host) error {
	if im.Kind != ExternFunc {
		return fmt.Errorf("it imports the %s %s.%s; only functions may be imported", im.Kind, im.Module, im.Name)
	}
	funcs, ok := host[im.Module]
	if !ok {
		return fmt.Errorf("it imports %s.%s; only %s and %s may be imported from", im.Module, im.Name, abi.ImportModule, WASI)
	}
	want, ok := funcs[im.Name]
	switch {
	case !ok:
		return fmt.Errorf("it imports %s.%s, which this build does not have", im.Module, im.Name)
	case want != im.Type:
		return fmt.Errorf("it imports %s.%s as %s, but it is %s", im.Module, im.Name, im.Type, want)
	}
	return nil
}

// String returns the signature as SPEC.md writes it: "(i32, i32) -> i32".
func (t FuncType) String() string {
	s := "(" + valueTypes(t.Params) + ") -> "
	if len(t.Results) == 1 {
		return s + valueTypes(t.Results)
	}
	return s + "(" + valueTypes(t.Results) + ")"
}

func valueTypes(types string) string {
	names := make([]string, len(types))
	for i := range len(types) {
		switch types[i] {
		case 0x7f:
			names[i] = "i32"
		case 0x7e:
			names[i] = "i64"
		case 0x7d:
			names[i] = "f32"
		case 0x7c:
			names[i] = "f64"
		default:
			names[i] = fmt.Sprintf("%#x", types[i])
		}
	}
	return strings.Join(names, ", ")
}

// joinFew joins the faults, of which a hostile module may have very many.
func joinFew(faults []error) error {
	const most = 8
	var texts []string
	n := 0
	for _, err := range faults {
		if err == nil {
			continue
		}
		if n++; n <= most {
			texts = append(texts, err.Error())
		}
	}
	switch {
	case n == 0:
		return nil
	case n > most:
		texts = append(texts, fmt.Sprintf("and %d faults more", n-most))
	}
	return errors.New(strings.Join(texts, "; "))
}
