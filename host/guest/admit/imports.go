package admit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// WASI is the import module of WASI preview 1.
const WASI = "wasi_snapshot_preview1"

// meterModule is what the host makes a rewritten module import from.
const meterModule = "wasmill_meter"

func (m *Module) checkImport(im *wasm.Import, host Host) error {
	name := quote(im.Module) + "." + quote(im.Name)
	fault := func(format string, args ...any) error {
		return at("import", im.Offset, "it imports "+"%s"+format, append([]any{name}, args...)...)
	}
	switch {
	case im.Kind == wasm.Memory:
		return fault(", a memory: only functions may be imported; let the module define its memory (for wasm-ld: without --import-memory)")
	case im.Kind == wasm.Table:
		return fault(", a table: only functions may be imported; let the module define its table (for wasm-ld: without --import-table)")
	case im.Kind == wasm.Global:
		return fault(", a global: only functions may be imported; link it as a program of its own, not as a shared library")
	case im.Module == meterModule:
		return fault(": this module is the host's own and not for guests")
	}
	funcs, ok := host[im.Module]
	switch {
	case !ok && im.Module == abi.ImportModule:
		return fault(", but it is a program with _start, without the marker %s: build it as a library (reactor) with a wasmill SDK", abi.ExportMarker)
	case !ok:
		return fault("; only %s and %s may be imported from%s", abi.ImportModule, WASI, foreign(im))
	}
	want, ok := funcs[im.Name]
	if !ok {
		return fault(", which this build does not have%s", unknown(im, host))
	}
	if got := Signature(im.Type, m.Module); got != want {
		return fault(" as %s, but it is %s", got, want)
	}
	return nil
}

// unknown says what a name may be that the host lacks.
func unknown(im *wasm.Import, host Host) string {
	switch {
	case im.Module == WASI && strings.HasPrefix(im.Name, "sock_"):
		return ": a step has no sockets"
	case im.Module == WASI && im.Name == "thread-spawn":
		return ": a step has no threads"
	}
	if near := nearest(im.Name, host); near != "" {
		return ": is " + near + " meant?"
	}
	if im.Module == abi.ImportModule {
		return ": it may belong to a newer wasmill"
	}
	return ""
}

// nearest returns the function of the host whose name is nearest to name, ""
// if none is near: at most a third of its letters may differ.
func nearest(name string, host Host) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	best, near := len(name)/3+1, ""
	for _, module := range sortedKeys(host) {
		for _, f := range sortedKeys(host[module]) {
			if d := distance(name, f); d < best {
				best, near = d, module+"."+f
			}
		}
	}
	return near
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// distance is the number of bytes to insert, delete or change (Wagner and
// Fischer, 1974), one row at a time.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// foreign says which host a module is built for that imports im, and what to
// do about it.
func foreign(im *wasm.Import) string {
	for _, h := range hosts {
		if strings.HasPrefix(im.Module, h.module) && (!h.exact || im.Module == h.module) && strings.HasPrefix(im.Name, h.name) {
			return fmt.Sprintf("; %s: %s", h.what, h.do)
		}
	}
	return ""
}
