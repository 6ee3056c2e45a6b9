package guest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestWASI_OutputGoesToTheLogByLine(t *testing.T) {
	c := &calls{}
	in := instance(t, wasmtest.WriteOut(1, "one\ntw"), c)
	run(t, in, batch("a"))
	run(t, in, batch("a"))
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "twone", "tw"}; !slices.Equal(c.lines, want) {
		t.Fatalf("lines %q, want %q", c.lines, want)
	}
}

func TestWASI_ALongLineIsCut(t *testing.T) {
	c := &calls{}
	in := instance(t, wasmtest.WriteOut(2, strings.Repeat("x", 3000)), c)
	for range 6 {
		run(t, in, batch("a"))
	}
	if len(c.lines) != 2 || len(c.lines[0]) != 8192 || len(c.lines[1]) != 8192 {
		t.Fatalf("%d lines", len(c.lines))
	}
}

func TestLog_IsLimitedAndSaysSo(t *testing.T) {
	now := time.Unix(0, 0)
	e := engine(t, guest.EngineOptions{Now: func() time.Time { return now }})
	line := strings.Repeat("x", 1000)
	m, err := e.Compile(t.Context(), wasmtest.WriteOut(1, line+"\n"), "log")
	if err != nil {
		t.Fatal(err)
	}
	c := &calls{}
	in, err := m.Instantiate(t.Context(), guest.Init{Limits: guest.Limits{LogRate: 2500}}, c)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		run(t, in, batch("a"))
	}
	if len(c.lines) != 2 {
		t.Fatalf("%d lines in the first second, want 2", len(c.lines))
	}
	now = now.Add(400 * time.Millisecond) // 500 bytes are left, 1,000 come
	run(t, in, batch("a"))
	run(t, in, batch("a"))
	want := []string{line, line, "3 log lines of 3000 bytes were dropped: more than 2500 bytes a second (limits.max_log)", line}
	if !slices.Equal(c.lines, want) {
		t.Fatalf("lines %q", c.lines)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if last := c.lines[len(c.lines)-1]; last != "1 log lines of 1000 bytes were dropped: more than 2500 bytes a second (limits.max_log)" {
		t.Fatalf("last line %q", last)
	}
}

func TestLog_OfNothing(t *testing.T) {
	m, err := engine(t, guest.EngineOptions{}).Compile(t.Context(), wasmtest.WriteOut(1, "x\n"), "log")
	if err != nil {
		t.Fatal(err)
	}
	c := &calls{}
	in, err := m.Instantiate(t.Context(), guest.Init{Limits: guest.Limits{LogRate: -1}}, c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, in, batch("a"))
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 log lines of 1 bytes were dropped: more than 0 bytes a second (limits.max_log)"}; !slices.Equal(c.lines, want) {
		t.Fatalf("lines %q, want %q", c.lines, want)
	}
}

// clocks reads random bytes, both clocks and random bytes again into the
// message of a fail, and sleeps between.
func clocks() []byte {
	var random, clock uint32
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		random = m.Import("wasi_snapshot_preview1", "random_get", "ii", "i")
		clock = m.Import("wasi_snapshot_preview1", "clock_time_get", "ili", "i")
	}, func(im wasmtest.Imports) []byte {
		const at = wasmtest.ProbeData
		return wasmtest.Code(
			wasmtest.Const(at), wasmtest.Const(16), wasmtest.Call(random), wasmtest.Drop,
			wasmtest.Const(0), wasmtest.Const64(1), wasmtest.Const(at+16), wasmtest.Call(clock), wasmtest.Drop,
			wasmtest.Const(1), wasmtest.Const64(1), wasmtest.Const(at+24), wasmtest.Call(clock), wasmtest.Drop,
			wasmtest.Const(0), wasmtest.Const(0), wasmtest.Const(at), wasmtest.Const(24), wasmtest.Call(im.Fail), wasmtest.Drop,
			wasmtest.Const(0),
		)
	})
}

func TestWASI_ClocksAndRandomDependOnTheBatchAlone(t *testing.T) {
	e := engine(t, guest.EngineOptions{})
	seen := func(values ...string) string {
		c := &calls{time: 7e9}
		in, err := instantiate(t, e, clocks(), c)
		if err != nil {
			t.Fatal(err)
		}
		run(t, in, batch(values...))
		return c.fails[0].message
	}
	one, two := seen("a"), seen("a")
	if one != two {
		t.Fatalf("equal batches saw % x and % x", one, two)
	}
	if fmt.Sprintf("% x", one[16:]) != "e8 89 3b a1 01 00 00 00" { // 7 s and 1 µs
		t.Fatalf("wall clock % x", one[16:])
	}
	if one[:16] == strings.Repeat("\x00", 16) {
		t.Fatal("no random bytes")
	}

	c := &calls{}
	in, err := instantiate(t, e, clocks(), c)
	if err != nil {
		t.Fatal(err)
	}
	other := batch("a")
	other.Partition.Number++
	run(t, in, batch("a"))
	run(t, in, other)
	run(t, in, batch("a"))
	if a, b := c.fails[0].message[:16], c.fails[1].message[:16]; a == b {
		t.Fatal("another partition saw the same random bytes")
	}
	if a, b := c.fails[0].message[:16], c.fails[2].message[:16]; a != b || a != one[:16] {
		t.Fatal("a batch that was run again saw other random bytes")
	}
}
