package meter_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

const bulkPages = 80 // 5 MiB

// bulkModule has functions that are one bulk operation each, and a passive
// segment of 3 MiB and some bytes.
func bulkModule(segment []byte) []byte {
	m := New()
	m.Memory(bulkPages)
	args := Code(Get(0), Get(1), Get(2))
	m.ExportFunc("fill", "iii", "", "", args, op(0xfc, 11, 0))
	m.ExportFunc("copy", "iii", "", "", args, op(0xfc, 10, 0, 0))
	if segment == nil {
		return m.Bytes()
	}
	three := body(op(0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 8, 0, 0))
	return raw(sec(1, sig("iii", ""), sig("", "")), sec(3, op(0), op(1)), sec(5, op(0, bulkPages, 0)[:2]),
		sec(7, export("init", 0, 0), export("drop", 0, 1), export("memory", 2, 0)), op(12, 1, 1),
		sec(10, three, body(op(0xfc, 9, 0))), sec(11, append(appendLen([]byte{1}, len(segment)), segment...)))
}

func appendLen(b []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// memory returns a view of all memory.
func memory(w *world) []byte {
	b, _ := w.Memory().Read(0, w.Memory().Size())
	return b
}

func TestRewrite_BulkOperationsDoWhatTheyDid(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	const mib = 1 << 20
	type args struct{ to, from, n uint64 }
	copies := []args{
		{0, 0, 5 * mib}, {0, 1, 5*mib - 1}, {1, 0, 5*mib - 1}, {0, 3 * mib, 2*mib + 0}, {3 * mib, 0, 2 * mib},
		{100, 200, 3*mib + 1}, {200, 100, 3*mib + 1}, {7, 9, mib}, {9, 7, mib + 1}, {mib / 2, 0, 2*mib + 5}, {0, mib / 2, 2*mib + 5},
		{5 * mib, 0, 0}, {10, 20, 30}, {3, 0, 17000},
	}
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, bulkModule(nil), o)
		have := memory(w)
		for i := 0; i+8 <= len(have); i += 8 {
			copy(have[i:], []byte{byte(rng.Uint64()), byte(i >> 8), byte(i >> 16), byte(rng.Uint64()), 5, byte(i >> 3), 7, 8})
		}
		want := bytes.Clone(have)
		for _, c := range copies {
			copy(want[c.to:c.to+c.n], want[c.from:])
			w.want(t, "copy", []uint64{c.to, c.from, c.n})
			if !bytes.Equal(memory(w), want) {
				t.Fatalf("seed %d: copy %+v", seed, c)
			}
		}
		for _, c := range []args{{1, 0xab, 3*mib + 7}, {0, 3, 5 * mib}, {5, 9, 16384}, {5, 7, 16385}} {
			copy(want[c.to:], bytes.Repeat([]byte{byte(c.from)}, int(c.n)))
			w.want(t, "fill", []uint64{c.to, c.from, c.n})
			if !bytes.Equal(memory(w), want) {
				t.Fatalf("fill %+v", c)
			}
		}
		for _, c := range []args{{mib, 0, 4*mib + 1}, {0, mib, 4*mib + 1}, {1 << 31, 0, 1 << 31}, {0, 0, 1<<32 - 1}, {5*mib + 1, 0, 0}} {
			w.wantTrap(t, "out of bounds memory access", "copy", c.to, c.from, c.n)
			if c.to != 0 {
				w.wantTrap(t, "out of bounds memory access", "fill", c.to, c.from, c.n)
			}
			if !bytes.Equal(memory(w), want) {
				t.Fatalf("%+v is out of bounds and wrote", c)
			}
		}
	})
}

func TestRewrite_LongSegmentsAreCopiedInPieces(t *testing.T) {
	const mib = 1 << 20
	segment := make([]byte, 3*mib+5)
	for i := range segment {
		segment[i] = byte(i>>12) ^ byte(i)
	}
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, bulkModule(segment), o)
		want := make([]byte, bulkPages<<16)
		w.wantTrap(t, "out of bounds memory access", "init", 0, 6, 3*mib)
		w.wantTrap(t, "out of bounds memory access", "init", 3*mib, 0, 3*mib)
		if !bytes.Equal(memory(w), want) {
			t.Error("out of bounds, and it wrote")
		}
		copy(want[3:], segment[5:])
		w.want(t, "init", []uint64{3, 5, 3 * mib})
		if !bytes.Equal(memory(w), want) {
			t.Error("the segment came out wrong")
		}
		w.want(t, "drop", nil)
		w.want(t, "init", []uint64{0, 0, 0})
		w.wantTrap(t, "out of bounds memory access", "init", 0, 0, 2*mib)
		if !bytes.Equal(memory(w), want) {
			t.Error("the segment was dropped, and it wrote")
		}
	})
}

// In the patient form every check of a flag that stays set is a tick.
func TestRewrite_ChecksBetweenPieces(t *testing.T) {
	const mib = 1 << 20
	o := meter.Options{Form: meter.Patient}
	w := start(t, bulkModule(nil), o)
	w.onTick = func() error { return nil }
	w.stop(o)
	for _, tt := range []struct {
		name  string
		args  []uint64
		ticks int
	}{
		{"fill", []uint64{0, 1, 16384}, 0},
		{"fill", []uint64{0, 1, 16385}, 1},
		{"fill", []uint64{0, 1, mib}, 1},
		{"fill", []uint64{0, 1, mib + 1}, 2},
		{"fill", []uint64{0, 1, 5 * mib}, 5},
		{"copy", []uint64{0, 1, 4 * mib}, 4},
		{"copy", []uint64{1, 0, 4 * mib}, 4},
	} {
		w.ticks = 0
		w.want(t, tt.name, tt.args)
		if w.ticks != tt.ticks {
			t.Errorf("%s %d: %d ticks, want %d", tt.name, tt.args, w.ticks, tt.ticks)
		}
	}
	fast := meter.Options{}
	w = start(t, bulkModule(nil), fast)
	w.stop(fast)
	w.wantEnd(t, errStopped, "fill", 0, 1, 20000)
	w.wantEnd(t, errStopped, "copy", 0, 1, 20000)
}
