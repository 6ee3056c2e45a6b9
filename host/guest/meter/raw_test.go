package meter_test

import (
	"slices"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// raw assembles a module from sections.
func raw(sections ...[]byte) []byte {
	return slices.Concat(append([][]byte{[]byte("\x00asm\x01\x00\x00\x00")}, sections...)...)
}

// sec is a section of so many entries.
func sec(id byte, entries ...[]byte) []byte {
	body := slices.Concat(append([][]byte{wasm.AppendU32(nil, uint32(len(entries)))}, entries...)...)
	return wasm.AppendSection(nil, id, body)
}

// sig is a type: i for i32, l for i64, v for v128, r for funcref.
func sig(params, results string) []byte {
	b := []byte{0x60}
	for _, s := range []string{params, results} {
		b = append(b, byte(len(s)))
		for _, c := range s {
			b = append(b, map[rune]byte{'i': 0x7f, 'l': 0x7e, 'v': 0x7b, 'r': 0x70}[c])
		}
	}
	return b
}

// body is a function's, without locals of its own.
func body(code ...[]byte) []byte { return bodyWith(op(0), code...) }

// bodyWith is a function's with locals as the binary format has them.
func bodyWith(locals []byte, code ...[]byte) []byte {
	b := append(slices.Concat(append([][]byte{locals}, code...)...), 0x0b)
	return append(wasm.AppendU32(nil, uint32(len(b))), b...)
}

// export is an entry of the export section.
func export(name string, kind, index byte) []byte {
	return append(wasm.AppendName(nil, name), kind, index)
}

// custom is a custom section.
func custom(name string, body ...byte) []byte {
	return wasm.AppendSection(nil, 0, append(wasm.AppendName(nil, name), body...))
}

func op(b ...byte) []byte { return b }
