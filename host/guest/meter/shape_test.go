package meter_test

import (
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// shapes is a module of control structures: each function takes an i32.
var shapes = raw(
	sec(1, sig("i", "i"), sig("i", "il"), sig("il", "il"), sig("ii", "i")),
	sec(3, op(0), op(0), op(1), op(0), op(0), op(1), op(0)),
	sec(7, export("params", 0, 0), export("table", 0, 1), export("pair", 0, 2), export("returns", 0, 3), export("nested", 0, 4), export("both", 0, 5), export("below", 0, 6)),
	sec(10,
		// 0: a loop with parameters and results: n stays, 0 grows by 3 a pass.
		body(op(0x20, 0, 0x42, 0, 0x03, 2, // loop (i32 i64) -> (i32 i64)
			0x42, 3, 0x7c, // i64 + 3
			0x20, 0, 0x41, 1, 0x6b, 0x21, 0, // n--
			0x20, 0, 0x0d, 0, // br_if 0
			0x0b, 0xa7, 0x6a)), // i32.wrap, add
		// 1: a br_table that leads to the function's label, with a value.
		body(op(0x02, 0x40, 0x02, 0x40, 0x41, 11, 0x20, 0, 0x0e, 1, 2, 2, 0x0b, 0x0b, 0x41, 22)),
		// 2: two results, from a loop that leaves the function.
		body(op(0x03, 0x40, 0x20, 0, 0x42, 5, 0x20, 0, 0x0d, 1, 0x1a, 0x1a, 0x0c, 0, 0x0b, 0x00)),
		// 3: recursive, and it returns from inside of blocks, with operands below.
		body(op(0x41, 9, 0x02, 0x40, 0x03, 0x40, 0x41, 1, 0x20, 0, 0x45, 0x04, 0x40, 0x41, 42, 0x0f, 0x0b, 0x1a,
			0x20, 0, 0x41, 1, 0x6b, 0x10, 3, 0x0f, 0x0b, 0x0b)),
		// 4: a loop in a loop; n*n passes.
		bodyWith(op(1, 3, 0x7f), op(0x03, 0x40, 0x41, 0, 0x21, 2,
			0x03, 0x40, 0x20, 3, 0x41, 1, 0x6a, 0x21, 3, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x20, 0, 0x47, 0x0d, 0, 0x0b,
			0x20, 1, 0x41, 1, 0x6a, 0x22, 1, 0x20, 0, 0x47, 0x0d, 0, 0x0b, 0x20, 3)),
		// 5: two results from a recursive function.
		body(op(0x20, 0, 0x45, 0x04, 0x40, 0x41, 1, 0x42, 2, 0x0f, 0x0b, 0x20, 0, 0x41, 1, 0x6b, 0x10, 5)),
		// 6: an operand below a loop stays.
		body(op(0x41, 30, 0x20, 0, 0x03, 0x40, 0x0b, 0x6a)),
	),
)

func TestRewrite_KeepsControl(t *testing.T) {
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, shapes, o)
		w.want(t, "params", []uint64{10}, 40)
		for _, n := range []uint64{0, 1, 2} {
			w.want(t, "table", []uint64{n}, 11)
		}
		w.want(t, "pair", []uint64{3}, 3, 5)
		w.want(t, "returns", []uint64{4}, 42)
		w.want(t, "nested", []uint64{7}, 49)
		w.want(t, "both", []uint64{3}, 1, 2)
		w.want(t, "below", []uint64{5}, 35)
	})
}

// A body that is not valid must not become so.
func TestRewrite_LeavesInvalidInvalid(t *testing.T) {
	bodies := map[string][]byte{
		"a result is missing":           op(0x03, 0x40, 0x0b),
		"an operand is left":            op(0x41, 1, 0x41, 1, 0x03, 0x40, 0x0b),
		"a result has the wrong type":   op(0x03, 0x40, 0x0b, 0x42, 1),
		"a return without a value":      op(0x20, 0, 0x04, 0x40, 0x0f, 0x0b, 0x41, 1, 0x10, 0),
		"a branch without a value":      op(0x03, 0x40, 0x0c, 1, 0x0b, 0x41, 1),
		"a call without its operand":    op(0x10, 0),
		"a loop takes what is not here": op(0x03, 0, 0x0b),
		"a fill of i64":                 op(0x42, 0, 0x42, 0, 0x42, 0, 0xfc, 11, 0, 0x41, 0),
	}
	for name, code := range bodies {
		t.Run(name, func(t *testing.T) {
			b := raw(sec(1, sig("i", "i")), sec(3, op(0)), sec(5, op(0, 1)), sec(10, body(code)))
			each(t, func(t *testing.T, o meter.Options) {
				wantInvalid(t, rewrite(t, b, o).Wasm)
			})
		})
	}
}

func wantInvalid(t *testing.T, b []byte) {
	t.Helper()
	rt := wazero.NewRuntime(t.Context())
	defer rt.Close(t.Context())
	if _, err := rt.CompileModule(t.Context(), b); err == nil {
		t.Error("it became valid")
	}
}

// What would name something of ours is refused, since it would become valid.
func TestRewrite_RefusesWhatNamesOurs(t *testing.T) {
	bodies := map[string][]byte{
		"it calls function 1 of 1":                         op(0x10, 1),
		"it names global 0 of 0":                           op(0x23, 0),
		"it names global 1 of 0":                           op(0x41, 0, 0x24, 1),
		"a block of type 1 of 1":                           op(0x03, 1, 0x0b),
		"it calls a function of type 1 of 1":               op(0x11, 1, 0),
		"it refers to function 1 of 1":                     op(0xd2, 1),
		"it refers to function 0, which is in no":          op(0xd2, 0),
		"it names data segment 0 of 0":                     op(0xfc, 8, 0, 0),
		"it exports \"wasmill:x\", and names with":         nil,
		"it imports tick from wasmill_meter, which is the": nil,
	}
	for text, code := range bodies {
		b := raw(sec(1, sig("", "")), sec(3, op(0)), sec(10, body(code)))
		switch text[:10] {
		case "it exports":
			b = raw(sec(1, sig("", "")), sec(3, op(0)), sec(7, export("wasmill:x", 0, 0)), sec(10, body()))
		case "it imports":
			im := append(append(wasm.AppendName(nil, meter.ImportModule), wasm.AppendName(nil, "tick")...), 0, 0)
			b = raw(sec(1, sig("", "")), sec(2, im))
		}
		wantError(t, b, meter.Options{}, text)
	}
}
