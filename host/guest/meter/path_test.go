package meter_test

import (
	"bytes"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

// A check on one branch does not stand for the other: each body takes the
// branch without one when its parameter is 0.
func TestRewrite_ChecksTheLongestPath(t *testing.T) {
	nops := func(n int) []byte { return bytes.Repeat([]byte{1}, n) }
	leaf := Code(Get(0), Call(0))
	elseOp := op(0x05)
	tests := []struct {
		name  string
		code  []byte
		stops bool
	}{
		{"a short path", Code(nops(90_000), leaf), false},
		{"a long path", Code(nops(60_000), leaf, nops(60_000), leaf), true},
		{"a loop on the other arm", Code(nops(60_000), Get(0), If, Loop, End, End, nops(60_000), leaf), true},
		{"two arms", Code(nops(60_000), Get(0), If, Loop, End, elseOp, nops(10), End, nops(60_000), leaf), true},
		{"a loop behind the branch", Code(Block, nops(60_000), Get(0), Eqz, BrIf(0), Loop, End, End, nops(60_000), leaf), true},
		{"by a br_table", Code(Block, Block, nops(60_000), Get(0), op(0x0e, 1, 1, 0), End, Loop, End, End, nops(60_000), leaf), true},
		{"the long part on the other arm", Code(nops(60_000), Get(0), If, nops(60_000), leaf, End, leaf), false},
		{"the long part behind a return", Code(Get(0), If, nops(60_000), Return, End, nops(60_000), leaf), false},
	}
	for _, tt := range tests {
		m := New()
		m.Func("leaf", "i", "", "")
		m.ExportFunc("path", "i", "", "", tt.code)
		for _, form := range forms[:2] {
			o := meter.Options{Form: form}
			w := start(t, m.Bytes(), o)
			w.stop(o)
			if _, err := w.call("path", 0); (err != nil) != tt.stops {
				t.Errorf("%s, %s: %v", tt.name, form, err)
			}
		}
	}
}
