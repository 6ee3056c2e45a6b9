package wasmill_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/config"
	"github.com/wasmill/wasmill/sdk-go/internal/host"
	"github.com/wasmill/wasmill/sdk-go/wasmilltest"
)

var seen = wasmill.NewCounter("seen")

// register sets the functions of the step for one test. Tests that use it do
// not run in parallel.
func register(t *testing.T, step func(*wasmill.Context, *wasmill.Record) error) {
	t.Helper()
	wasmill.Step(step)
	t.Cleanup(func() {
		wasmill.Step(nil)
		wasmill.OnInit(nil)
		wasmill.OnEnd(nil)
	})
}

func values(texts ...string) (out []wasmill.Record) {
	for i, s := range texts {
		out = append(out, wasmill.Record{Time: int64(100 + i), Value: []byte(s)})
	}
	return out
}

type coded struct{ code int32 }

func (c coded) Error() string { return "coded" }
func (c coded) Code() int32   { return c.code }

func TestStep_FailuresUndoTheBatchAndTheRestRunsAgain(t *testing.T) {
	calls := 0
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		calls++
		seen.Add(1)
		s := cx.Store("s")
		old, _, err := s.Get([]byte("sum"))
		if err != nil {
			return err
		}
		if err := s.Put([]byte("sum"), append(old, r.Value...)); err != nil {
			return err
		}
		if err := cx.Emit(&wasmill.Record{Value: r.Value}); err != nil {
			return err
		}
		switch string(r.Value) {
		case "bad":
			return fmt.Errorf("wrapped: %w", coded{42})
		case "plain":
			return errors.New("no code")
		case "panic":
			panic("by hand")
		}
		return nil
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"s"}})
	got := h.Batch(values("a", "bad", "b", "panic", "plain", "c")...)
	if got.Err != nil || !slices.Equal(got.Values(), []string{"a", "b", "c"}) {
		t.Errorf("emitted %q, error %v", got.Values(), got.Err)
	}
	for i, e := range got.Emitted {
		if want := []int{0, 2, 5}[i]; e.Cause != want || e.Record.Time != int64(100+want) || e.Output != "out" {
			t.Errorf("emitted %d: %+v, want cause %d", i, e, want)
		}
	}
	if len(got.Failed) != 3 {
		t.Fatalf("failed %+v", got.Failed)
	}
	for i, want := range []wasmilltest.Failed{
		{Index: 1, Code: 42, Text: "wrapped: coded"},
		{Index: 3, Code: wasmill.CodePanic, Text: "panic: by hand at "},
		{Index: 4, Text: "no code"},
	} {
		f := got.Failed[i]
		if f.Index != want.Index || f.Code != want.Code || !strings.HasPrefix(f.Text, want.Text) {
			t.Errorf("failed %d: %+v, want %+v", i, f, want)
		}
	}
	if !strings.Contains(got.Failed[1].Text, "sdk_test.go:") {
		t.Errorf("the panic's place is missing: %s", got.Failed[1].Text)
	}
	if s := h.Store("s")["sum"]; s != "abc" {
		t.Errorf("the store has %q: what failed is not undone", s)
	}
	if calls != 9 || h.Metric("seen") != 9 {
		t.Errorf("%d calls, the counter has %d, want 9", calls, h.Metric("seen"))
	}
}

func TestStepBatch_CauseIsTheRecordOfTheLoop(t *testing.T) {
	t.Cleanup(func() { wasmill.StepBatch(nil) })
	wasmill.StepBatch(func(cx *wasmill.Context, b *wasmill.Batch) error {
		for r := range b.All() {
			switch string(r.Value) {
			case "fail":
				cx.Fail(r, errors.New("failed"))
			case "panic":
				panic(errors.New("panicked"))
			case "break":
			default:
				if err := cx.Emit(r); err != nil {
					return err
				}
				continue
			}
			break
		}
		name, number := b.Partition()
		return cx.EmitTo("late", &wasmill.Record{Value: fmt.Appendf(nil, "%d of %s/%d", b.Len(), name, number)})
	})
	h := wasmilltest.New(t, wasmilltest.Options{Outputs: []string{"out", "late"}})
	describe := func(r wasmilltest.Result) (out []string) {
		for _, e := range r.Emitted {
			out = append(out, fmt.Sprintf("%s %d %s %d", e.Output, e.Cause, e.Record.Value, e.Record.Time))
		}
		return out
	}
	got := describe(h.BatchOf("p", 3, values("a", "b")...))
	if want := []string{"out 0 a 100", "out 1 b 101", "late -1 2 of p/3 -9223372036854775808"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = describe(h.Batch(values("a", "break", "b")...))
	if want := []string{"out 0 a 100", "late -1 3 of test/0 -9223372036854775808"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	res := h.Batch(values("a", "panic", "b", "fail")...)
	if len(res.Failed) != 2 || res.Failed[0].Index != 1 || res.Failed[1].Index != 3 || res.Err != nil {
		t.Errorf("failed %+v, error %v", res.Failed, res.Err)
	}
}

func TestStepBatch_ErrorRefusesTheBatch(t *testing.T) {
	t.Cleanup(func() { wasmill.StepBatch(nil) })
	fail := errors.New("not this one")
	wasmill.StepBatch(func(cx *wasmill.Context, b *wasmill.Batch) error {
		if err := cx.Store("s").Put([]byte("k"), nil); err != nil {
			return err
		}
		if b.Len() == 0 {
			panic("outside of a loop")
		}
		return fail
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"s"}})
	if res := h.Batch(values("a")...); res.Err == nil || res.Err.Error() != "error: not this one" || len(h.Store("s")) != 0 {
		t.Errorf("error %v, store %v", res.Err, h.Store("s"))
	}
	if res := h.Batch(); res.Err == nil || !strings.HasPrefix(res.Err.Error(), "error: panic: outside of a loop at ") {
		t.Errorf("error %v", res.Err)
	}
}

func TestStore_Calls(t *testing.T) {
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		s := cx.Store("s")
		for _, k := range []string{"b", "a", "c", ""} {
			if err := s.Put([]byte(k), []byte(strings.Repeat(k, 5000))); err != nil {
				return err
			}
		}
		if err := s.Delete([]byte("c")); err != nil {
			return err
		}
		var got []string
		for _, k := range []string{"a", "", "c"} {
			v, ok, err := s.Get([]byte(k))
			got = append(got, fmt.Sprint(len(v), ok, err))
		}
		vs, err := s.GetMany([][]byte{[]byte("c"), []byte(""), []byte("b")}, nil)
		for _, v := range vs {
			got = append(got, fmt.Sprint(len(v), v == nil, err))
		}
		for e, err := range s.Scan([]byte("a"), nil) {
			got = append(got, fmt.Sprint(string(e.Key), len(e.Value), err))
		}
		for e := range s.Scan(nil, []byte("b")) {
			got = append(got, string(e.Key))
			break
		}
		return cx.Emit(&wasmill.Record{Value: []byte(strings.Join(got, ","))})
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"r", "s"}})
	res := h.Batch(values("x")...)
	want := "5000 true <nil>,0 true <nil>,0 false <nil>,0 true <nil>,0 false <nil>,5000 false <nil>,a5000 <nil>,b5000 <nil>,"
	if got := res.Values(); len(got) != 1 || got[0] != want {
		t.Errorf("got %q (%+v), want %q", got, res.Failed, want)
	}
}

func TestCalls_Errors(t *testing.T) {
	var got []error
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		_, _, get := cx.Store("missing").Get(nil)
		got = []error{
			get,
			cx.Store("s").Put(make([]byte, 5000), nil),
			cx.EmitTo("missing", r),
			cx.Emit(&wasmill.Record{Value: make([]byte, 2000)}),
		}
		return nil
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"s"}, Record: 1000})
	if res := h.Batch(values("x")...); res.Err != nil || res.Failed != nil || res.Emitted != nil {
		t.Errorf("an error that the step has seen ends the batch: %+v", res)
	}
	for i, want := range []wasmill.Errno{wasmill.EBADF, wasmill.E2BIG, wasmill.EBADF, wasmill.E2BIG} {
		if !errors.Is(got[i], want) {
			t.Errorf("error %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestOnEnd_TokenLeadsOn(t *testing.T) {
	register(t, func(*wasmill.Context, *wasmill.Record) error { return nil })
	h := wasmilltest.New(t, wasmilltest.Options{})
	if res := h.End(); res.Err != nil || res.Emitted != nil {
		t.Errorf("without OnEnd: %+v", res)
	}
	wasmill.OnEnd(func(cx *wasmill.Context, token []byte) ([]byte, error) {
		if err := cx.Emit(&wasmill.Record{Value: append([]byte("at "), token...)}); err != nil {
			return nil, err
		}
		switch string(token) {
		case "":
			if token != nil {
				return nil, errors.New("the first token is not nil")
			}
			return []byte("1"), nil
		case "1":
			return []byte("2"), nil
		}
		return nil, nil
	})
	if got := h.End().Values(); !slices.Equal(got, []string{"at ", "at 1", "at 2"}) {
		t.Errorf("got %q", got)
	}
	wasmill.OnEnd(func(*wasmill.Context, []byte) ([]byte, error) { panic("at the end") })
	if res := h.End(); res.Err == nil || !strings.Contains(res.Err.Error(), "panic: at the end at ") {
		t.Errorf("error %v", res.Err)
	}
}

func TestOnInit_Config(t *testing.T) {
	var settings struct {
		Min  int    `json:"min"`
		Name string `json:"name"`
	}
	register(t, func(*wasmill.Context, *wasmill.Record) error { return nil })
	wasmill.OnInit(func(cx *wasmill.Context) error { return config.Decode(cx, &settings) })
	settings.Name = "default"
	wasmilltest.New(t, wasmilltest.Options{Config: map[string]int{"min": 3}})
	if settings.Min != 3 || settings.Name != "default" {
		t.Errorf("settings %+v", settings)
	}
	wasmilltest.New(t, wasmilltest.Options{})
	for _, c := range []struct {
		config any
		want   string
	}{
		{map[string]int{"mni": 3}, `config of step test: json: unknown field "mni"`},
		{map[string]string{"min": "x"}, "config of step test: json: cannot unmarshal string"},
	} {
		if _, err := wasmilltest.Open(wasmilltest.Options{Config: c.config}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v gives %v, want %q", c.config, err, c.want)
		}
	}
}

func TestOpen_WithoutStep(t *testing.T) {
	wasmill.Step(nil)
	if _, err := wasmilltest.Open(wasmilltest.Options{}); err == nil || !strings.Contains(err.Error(), "registers no step") {
		t.Errorf("error %v", err)
	}
}

func TestEmit_NoAllocations(t *testing.T) {
	var n float64
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		key := []byte("key")
		emit := func() {
			if err := cx.Emit(&wasmill.Record{Key: key, Value: r.Value, Headers: r.Headers}); err != nil {
				t.Error(err)
			}
		}
		for range 100 {
			emit()
		}
		n = testing.AllocsPerRun(50, emit)
		return nil
	})
	h := wasmilltest.New(t, wasmilltest.Options{})
	h.Batch(values("a")...)
	h.Batch(values("a")...) // now the buffer has its size
	if n != 0 {
		t.Errorf("%v allocations for a record", n)
	}
}

// Example is a step and its test in one.
func Example() {
	wasmill.Step(func(cx *wasmill.Context, r *wasmill.Record) error {
		if len(r.Value) == 0 {
			return errors.New("empty")
		}
		return cx.Emit(&wasmill.Record{Key: r.Key, Value: []byte(strings.ToUpper(string(r.Value)))})
	})
	h, err := wasmilltest.Open(wasmilltest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	got := h.Batch(wasmill.Record{Value: []byte("fox")}, wasmill.Record{})
	fmt.Println(got.Values(), got.Failed)
	// Output: [FOX] [{1 0 empty}]
}

func TestCalls_Limits(t *testing.T) {
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		value := make([]byte, 1<<19)
		for range 40 {
			if err := cx.Emit(&wasmill.Record{Value: value}); err != nil {
				return err
			}
		}
		return nil
	})
	var early error
	wasmill.OnInit(func(cx *wasmill.Context) error {
		early = cx.Store("s").Put(nil, nil)
		return nil
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"s"}})
	if !errors.Is(early, wasmill.EPERM) {
		t.Errorf("a store in OnInit gives %v", early)
	}
	// A frame that the host refuses may hold what other records emitted, so the
	// batch as a whole is refused.
	if res := h.Batch(values("a")...); len(res.Emitted) != 0 || res.Err == nil {
		t.Errorf("20 MiB give %d records, failed %+v, error %v", len(res.Emitted), res.Failed, res.Err)
	}
}

func TestStore_ScanOverManyPages(t *testing.T) {
	const entries = 5000 // of 33 bytes, in pages of 64 KiB
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		s := cx.Store("s")
		for i := range entries {
			if err := s.Put(fmt.Appendf(nil, "%05d", i), make([]byte, 20)); err != nil {
				return err
			}
		}
		n := 0
		for e, err := range s.Scan(nil, nil) {
			if err != nil {
				return err
			}
			if want := fmt.Sprintf("%05d", n); string(e.Key) != want {
				return fmt.Errorf("entry %d has the key %s", n, e.Key)
			}
			n++
		}
		return cx.Emit(&wasmill.Record{Value: fmt.Append(nil, n)})
	})
	h := wasmilltest.New(t, wasmilltest.Options{Stores: []string{"s"}})
	if res := h.Batch(values("a")...); !slices.Equal(res.Values(), []string{fmt.Sprint(entries)}) {
		t.Errorf("got %+v", res)
	}
}

func TestContext_RandBeginsAnewWithEachBatch(t *testing.T) {
	var drawn []uint64
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		n := cx.Rand().Uint64()
		drawn = append(drawn, n)
		if string(r.Value) == "bad" {
			return errors.New("bad")
		}
		return nil
	})
	h := wasmilltest.New(t, wasmilltest.Options{})
	h.Batch(values("a", "bad")...) // runs again without the second
	h.Batch(values("a")...)
	if len(drawn) != 4 || drawn[0] == drawn[1] || drawn[2] != drawn[0] || drawn[3] == drawn[0] {
		t.Errorf("drawn %x", drawn)
	}
}

func TestContext_NowIsTheBatchs(t *testing.T) {
	first := true
	register(t, func(cx *wasmill.Context, r *wasmill.Record) error {
		now := cx.Now()
		if first {
			first = false
			return errors.New("the first one fails")
		}
		return cx.Emit(&wasmill.Record{Value: fmt.Append(nil, now)})
	})
	h := wasmilltest.New(t, wasmilltest.Options{})
	got := h.Batch(wasmill.Record{Time: 3}, wasmill.Record{Time: 7}, wasmill.Record{Time: 5})
	if want := []string{"7001000", "7002000"}; !slices.Equal(got.Values(), want) {
		t.Errorf("it is %q, want %q", got.Values(), want)
	}
	got = h.Batch(wasmill.Record{Time: wasmill.NoTime})
	if want := []string{"7003000"}; !slices.Equal(got.Values(), want) {
		t.Errorf("in a batch without event times it is %q, want %q", got.Values(), want)
	}
}

func TestProcess_KnowsItsOperations(t *testing.T) {
	register(t, func(*wasmill.Context, *wasmill.Record) error { return nil })
	in := host.NewInstance()
	for op, want := range map[int32]int32{3: 0, 4: 0, 2: -38, 99: -38} {
		if status := in.Process(op, make([]byte, 32)); status != want {
			t.Errorf("op %d gives %d, want %d", op, status, want)
		}
	}
}
