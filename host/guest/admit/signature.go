package admit

import (
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// FuncType is a signature: the value types as the binary format writes them,
// one byte each (0x7f i32, 0x7e i64, 0x7d f32, 0x7c f64).
type FuncType struct{ Params, Results string }

// Signature returns type t of a module, which exists.
func Signature(t uint32, m *wasm.Module) FuncType {
	f := &m.Types[t]
	return FuncType{bytesOf(f.Params), bytesOf(f.Results)}
}

func bytesOf(types []wasm.ValueType) string {
	b := make([]byte, len(types))
	for i, t := range types {
		b[i] = byte(t)
	}
	return string(b)
}

// String returns the signature as SPEC.md writes it: "(i32, i32) -> i32".
func (t FuncType) String() string {
	s := "(" + valueTypes(t.Params) + ") -> "
	if len(t.Results) == 1 {
		return s + valueTypes(t.Results)
	}
	return s + "(" + valueTypes(t.Results) + ")"
}

var typeNames = map[byte]string{
	byte(wasm.I32): "i32", byte(wasm.I64): "i64", byte(wasm.F32): "f32", byte(wasm.F64): "f64",
	byte(wasm.V128): "v128", byte(wasm.FuncRef): "funcref", byte(wasm.ExternRef): "externref",
}

func valueTypes(types string) string {
	const most = 20
	var names []string
	for i := range min(len(types), most) {
		names = append(names, typeName(wasm.ValueType(types[i])))
	}
	if n := len(types) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// typeName returns what the text format calls a value type.
func typeName(t wasm.ValueType) string {
	if name, ok := typeNames[byte(t)]; ok {
		return name
	}
	return fmt.Sprintf("%#x", byte(t))
}
