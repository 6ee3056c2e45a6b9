package wasmgen

import "github.com/wasmill/wasmill/host/guest/wasm"

// A signature is written with one letter a value, operands before a colon:
// i, l = i32, i64; f, d = f32, f64; v = v128; r, x = funcref, externref.
const letters = "ildfvrx"

var valueTypes = map[byte]wasm.ValueType{
	'i': wasm.I32, 'l': wasm.I64, 'f': wasm.F32, 'd': wasm.F64,
	'v': wasm.V128, 'r': wasm.FuncRef, 'x': wasm.ExternRef,
	'c': wasm.I32, // the counter of a loop
}

// op is an instruction whose operands and result do not depend on where it
// stands. That is all but control, calls, select, locals and globals; those
// of tables have the type that their table in a generated module has.
type op struct {
	wasm.Op
	in    string
	out   byte // 0 = none
	align byte // natural alignment of a load or store, a power of two
	lanes byte
}

// signatures of instructions, by their first and last number.
var signatures = []struct {
	from, to wasm.Op
	sig      string
}{
	{0x28, 0x28, "i:i"}, {0x29, 0x29, "i:l"}, {0x2a, 0x2a, "i:f"}, {0x2b, 0x2b, "i:d"}, {0x2c, 0x2f, "i:i"}, {0x30, 0x35, "i:l"},
	{0x36, 0x36, "ii:"}, {0x37, 0x37, "il:"}, {0x38, 0x38, "if:"}, {0x39, 0x39, "id:"}, {0x3a, 0x3b, "ii:"}, {0x3c, 0x3e, "il:"},
	{0x3f, 0x3f, ":i"}, {0x40, 0x40, "i:i"}, {0x41, 0x41, ":i"}, {0x42, 0x42, ":l"}, {0x43, 0x43, ":f"}, {0x44, 0x44, ":d"},
	{0x45, 0x45, "i:i"}, {0x46, 0x4f, "ii:i"}, {0x50, 0x50, "l:i"}, {0x51, 0x5a, "ll:i"}, {0x5b, 0x60, "ff:i"}, {0x61, 0x66, "dd:i"},
	{0x67, 0x69, "i:i"}, {0x6a, 0x78, "ii:i"}, {0x79, 0x7b, "l:l"}, {0x7c, 0x8a, "ll:l"},
	{0x8b, 0x91, "f:f"}, {0x92, 0x98, "ff:f"}, {0x99, 0x9f, "d:d"}, {0xa0, 0xa6, "dd:d"},
	{0xa7, 0xa7, "l:i"}, {0xa8, 0xa9, "f:i"}, {0xaa, 0xab, "d:i"}, {0xac, 0xad, "i:l"}, {0xae, 0xaf, "f:l"}, {0xb0, 0xb1, "d:l"},
	{0xb2, 0xb3, "i:f"}, {0xb4, 0xb5, "l:f"}, {0xb6, 0xb6, "d:f"}, {0xb7, 0xb8, "i:d"}, {0xb9, 0xba, "l:d"}, {0xbb, 0xbb, "f:d"},
	{0xbc, 0xbc, "f:i"}, {0xbd, 0xbd, "d:l"}, {0xbe, 0xbe, "i:f"}, {0xbf, 0xbf, "l:d"}, {0xc0, 0xc1, "i:i"}, {0xc2, 0xc4, "l:l"},
	{0xd1, 0xd1, "r:i"}, {0xd2, 0xd2, ":r"},
	{0xfc00, 0xfc01, "f:i"}, {0xfc02, 0xfc03, "d:i"}, {0xfc04, 0xfc05, "f:l"}, {0xfc06, 0xfc07, "d:l"},
	{0xfc08, 0xfc08, "iii:"}, {0xfc09, 0xfc09, ":"}, {0xfc0a, 0xfc0c, "iii:"}, {0xfc0d, 0xfc0d, ":"}, {0xfc0e, 0xfc0e, "iii:"},
	{0xfc10, 0xfc10, ":i"},
	{0xfd00, 0xfd0a, "i:v"}, {0xfd0b, 0xfd0b, "iv:"}, {0xfd0c, 0xfd0c, ":v"}, {0xfd0f, 0xfd11, "i:v"},
	{0xfd12, 0xfd12, "l:v"}, {0xfd13, 0xfd13, "f:v"}, {0xfd14, 0xfd14, "d:v"},
	{0xfd15, 0xfd16, "v:i"}, {0xfd17, 0xfd17, "vi:v"}, {0xfd18, 0xfd19, "v:i"}, {0xfd1a, 0xfd1a, "vi:v"}, {0xfd1b, 0xfd1b, "v:i"}, {0xfd1c, 0xfd1c, "vi:v"},
	{0xfd1d, 0xfd1d, "v:l"}, {0xfd1e, 0xfd1e, "vl:v"}, {0xfd1f, 0xfd1f, "v:f"}, {0xfd20, 0xfd20, "vf:v"}, {0xfd21, 0xfd21, "v:d"}, {0xfd22, 0xfd22, "vd:v"},
	{0xfd4d, 0xfd4d, "v:v"}, {0xfd52, 0xfd52, "vvv:v"}, {0xfd53, 0xfd53, "v:i"}, {0xfd54, 0xfd57, "iv:v"}, {0xfd58, 0xfd5b, "iv:"}, {0xfd5c, 0xfd5d, "i:v"},
	{0xfd63, 0xfd64, "v:i"}, {0xfd83, 0xfd84, "v:i"}, {0xfda3, 0xfda4, "v:i"}, {0xfdc3, 0xfdc4, "v:i"}, // all_true, bitmask
	{0xfd6b, 0xfd6d, "vi:v"}, {0xfd8b, 0xfd8d, "vi:v"}, {0xfdab, 0xfdad, "vi:v"}, {0xfdcb, 0xfdcd, "vi:v"}, // shifts
}

// tableOps exist in one variant for each type of table.
var tableOps = []struct {
	op  wasm.Op
	sig string // T = type of the table
}{
	{wasm.OpTableGet, "i:T"}, {wasm.OpTableSet, "iT:"}, {wasm.OpTableGrow, "Ti:i"}, {wasm.OpTableFill, "iTi:"}, {wasm.OpRefNull, ":T"}, {wasm.OpRefIsNull, "T:i"},
}

// elsewhere are the instructions that change neither memory nor globals, but
// something else of an instance.
var elsewhere = []wasm.Op{
	wasm.OpDataDrop, wasm.OpElemDrop, wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableFill,
}

var alignments = map[wasm.Op]byte{
	0x28: 2, 0x29: 3, 0x2a: 2, 0x2b: 3, 0x2e: 1, 0x2f: 1, 0x32: 1, 0x33: 1, 0x34: 2, 0x35: 2,
	0x36: 2, 0x37: 3, 0x38: 2, 0x39: 3, 0x3b: 1, 0x3d: 1, 0x3e: 2,
	0xfd00: 4, 0xfd01: 3, 0xfd02: 3, 0xfd03: 3, 0xfd04: 3, 0xfd05: 3, 0xfd06: 3, 0xfd08: 1, 0xfd09: 2, 0xfd0a: 3, 0xfd0b: 4,
	0xfd55: 1, 0xfd56: 2, 0xfd57: 3, 0xfd59: 1, 0xfd5a: 2, 0xfd5b: 3, 0xfd5c: 2, 0xfd5d: 3,
}

// catalogue returns every instruction that has a signature of its own.
func catalogue() []op {
	sigs := map[wasm.Op]string{}
	for _, s := range signatures {
		for o := s.from; o <= s.to; o++ {
			sigs[o] = s.sig
		}
	}
	var all []op
	for _, o := range wasm.Ops() {
		sig, ok := sigs[o]
		if !ok && o > wasm.OpV128Const { // most vector instructions have one or two vectors
			sig, ok = "vv:v", true
			if o.Height() == 0 {
				sig = "v:v"
			}
		}
		if ok {
			all = append(all, newOp(o, sig))
		}
	}
	for _, t := range tableOps {
		for _, typ := range "rx" {
			sig := []byte(t.sig)
			for i := range sig {
				if sig[i] == 'T' {
					sig[i] = byte(typ)
				}
			}
			all = append(all, newOp(t.op, string(sig)))
		}
	}
	return all
}

func newOp(o wasm.Op, sig string) op {
	in, out := split(sig)
	n := op{Op: o, in: in, align: alignments[o]}
	if out != "" {
		n.out = out[0]
	}
	switch {
	case o >= 0xfd15 && o <= 0xfd22: // lanes of i8x16, i16x8, i32x4, i64x2, f32x4, f64x2
		n.lanes = [...]byte{16, 16, 16, 8, 8, 8, 4, 4, 2, 2, 4, 4, 2, 2}[o-0xfd15]
	case o.Immediate() == wasm.ImmMemLane:
		n.lanes = 16 >> n.align
	}
	return n
}

// producers are the instructions by their result, 0 = without.
func producers(all []op) map[byte][]op {
	by := map[byte][]op{}
	for _, o := range all {
		by[o.out] = append(by[o.out], o)
	}
	return by
}

func split(sig string) (in, out string) {
	for i := range sig {
		if sig[i] == ':' {
			return sig[:i], sig[i+1:]
		}
	}
	return sig, ""
}
