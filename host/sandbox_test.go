package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

// spinFor returns how often wasmtest.Spin counts in d of CPU time on this
// machine, in the patient form, as it is just now.
func spinFor(t *testing.T, d time.Duration) int32 {
	t.Helper()
	const n = 50_000_000
	ctx := context.Background()
	e, err := guest.NewEngine(ctx, guest.EngineOptions{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Compile(ctx, wasmtest.OnValue("x", nil, func(wasmtest.Imports) []byte { return wasmtest.Spin(n) }), "spin")
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(ctx, guest.Init{Run: guest.Run{Patient: true, RecordTime: time.Minute}}, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	b := &wire.Batch{}
	b.Add(&record.Record{Value: []byte("x")})
	began := in.Used()
	if _, err := in.Batch(ctx, b); err != nil {
		t.Fatal(err)
	}
	used := in.Used() - began
	if err := errors.Join(in.Close(ctx), m.Close(ctx), e.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	return int32(min(float64(n)*float64(d)/float64(used), math.MaxInt32))
}

const slowJob = `
job: slow
sources:
  docs:
    walk: {root: ./in, compression: none}
    tasks: 2
steps:
  work:
    from: docs
    wasm: ./work.wasm
sinks:
  out:
    from: work
    file: {path: ./out, format: lines}
  rejects:
    file: {path: ./rejects}
on_error: {record: {dead_letter: rejects}}
`

// slowFixture is a job whose guest takes so long for each of three records
// among thousands, which it returns in the order of their bytes. All slow
// records together are the last three of them.
func slowFixture(t *testing.T, d time.Duration) (f *fixture, lines []string) {
	t.Helper()
	f = newFixture(t)
	f.write("job.yaml", slowJob)
	f.write("work.wasm", string(wasmtest.OnValue("slow", nil, func(wasmtest.Imports) []byte { return wasmtest.Spin(spinFor(t, d)) })))
	for i := range 2 {
		var text strings.Builder
		for k := range 5000 {
			if k == 2000 || i == 1 && k == 2001 {
				text.WriteString("slow\n")
				lines = append(lines, "slow")
			}
			line := fmt.Sprintf("file %d line %d", i, k)
			lines = append(lines, line)
			text.WriteString(line + "\n")
		}
		f.write(fmt.Sprintf("in/f%d", i), text.String())
	}
	slices.Sort(lines)
	return f, lines
}

// status runs a job to its end and returns what its only step did.
func status(t *testing.T, o host.Options) (container.Outcome, container.StepStatus) {
	t.Helper()
	j, err := host.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := j.Run(t.Context())
	s := j.Status().Steps[0]
	if err := errors.Join(err, j.Close()); err != nil || !out.Finished {
		t.Fatalf("%+v, %v", out, err)
	}
	return out, s
}

func TestSandbox_ARecordThatRightlyTakesLong(t *testing.T) {
	for i, set := range [][]string{nil, {"limits.batch.records=10000"}} {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			f, lines := slowFixture(t, 300*time.Millisecond)
			out, s := status(t, f.options(append(set, "limits.record=3s")...))
			checkCounts(t, out, len(lines), 0, 0, len(lines))
			if got := f.lines("out"); !slices.Equal(got, lines) {
				t.Errorf("%d lines came out, want %d", len(got), len(lines))
			}
			if s.Overruns < 3 {
				t.Errorf("%d overruns: no record was slow", s.Overruns)
			}
			t.Logf("%v of CPU time in %d calls, %d overruns", s.Guest, s.Batches, s.Overruns)
		})
	}
}

func TestSandbox_ARecordThatTakesLongerThanItMayGoesAlone(t *testing.T) {
	f, lines := slowFixture(t, time.Second)
	out, s := status(t, f.options("limits.record=100ms", "limits.batch.records=10000"))
	checkCounts(t, out, len(lines), 0, 3, len(lines)-3)
	if got := f.lines("out"); !slices.Equal(got, lines[:len(lines)-3]) {
		t.Errorf("%d lines came out, want %d", len(got), len(lines)-3)
	}
	letters := f.letters("rejects")
	if len(letters) != 3 {
		t.Fatalf("dead letters %v", letters)
	}
	for _, l := range letters {
		h := l.Headers
		if l.Value != "slow" || h["wasmill-error-class"] != "timeout" || !strings.HasSuffix(h["wasmill-error"], "it did not return within 100ms of CPU time (limits.record)") {
			t.Errorf("dead letter %v", l)
		}
	}
	if s.TrapsBy["timeout"] < 3 || len(s.TrapsBy) > 1 {
		t.Errorf("traps %v", s.TrapsBy)
	}
}

const countJob = `
job: count
sources:
  docs:
    walk: {root: ./in, compression: none}
    tasks: 1
steps:
  count:
    from: docs
    key: /k
    wasm: ./count.wasm
    partitions: 1
    stores: {counts: {}}
sinks:
  out:
    from: count
    file: {path: ./out, format: lines}
%s
on_error: {record: %s}
limits: {batch: {records: 10}}
`

// countJobWith returns countJob with a policy for records, which may name the
// sink rejects.
func countJobWith(policy string) string {
	rejects := ""
	if strings.Contains(policy, "rejects") {
		rejects = "  rejects:\n    file: {path: ./rejects}"
	}
	return fmt.Sprintf(countJob, rejects, policy)
}

// A record that traps behind writes of state, its own among them, is as one
// that was never there: in what comes out, and in the numbers that later
// records of its key get from the store.
func TestSandbox_ATrapBehindWritesLeavesNothing(t *testing.T) {
	input := func(with bool) string {
		var text strings.Builder
		for i := range 30 {
			if i%10 == 5 && with {
				text.WriteString(`{"k":"a","n":"bad","c":"?"}` + "\n")
			}
			if i%10 < 9 { // a batch is ten, with the bad one or without
				fmt.Fprintf(&text, `{"k":"%c","n":"%d","c":"?"}`+"\n", 'a'+i%4, i)
			}
		}
		return text.String()
	}
	run := func(policy string, with bool) (lines []string, out container.Outcome) {
		f := newFixture(t)
		f.write("job.yaml", countJobWith(policy))
		f.write("count.wasm", string(wasmtest.Count(`{"k":"a","n":"bad","c":"?"}`)))
		f.write("in/f", input(with))
		out, _ = status(t, f.options())
		return f.lines("out"), out
	}
	want, out := run("skip", false)
	checkCounts(t, out, 27, 0, 0, 27)
	if !slices.Contains(want, `{"k":"a","n":"28","c":"8"}`) {
		t.Fatalf("the guest does not count: %q", want)
	}
	for _, policy := range []string{"skip", "{dead_letter: rejects}"} {
		got, out := run(policy, true)
		if !slices.Equal(got, want) {
			t.Errorf("%s: came %q\nwant %q", policy, got, want)
		}
		if out.Counts.Skipped+out.Counts.DeadLetter != 3 {
			t.Errorf("%s: counts %+v", policy, out.Counts)
		}
	}
}

// A module that takes a little more memory now and then is replaced, before
// it fails where it can be, and no record is lost to its leak.
func TestSandbox_AGuestThatLeaksIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("leaks for seconds")
	}
	const lines = 2400
	ms := spinFor(t, time.Millisecond)
	leak := wasmtest.OnValue("leak", nil, func(wasmtest.Imports) []byte {
		return wasmtest.Code(wasmtest.Spin(ms), wasmtest.Const(1), wasmtest.MemoryGrow, wasmtest.Const(-1), wasmtest.Eq, wasmtest.If, wasmtest.Unreachable, wasmtest.End)
	})
	run := func(hook func(*container.Hooks), set ...string) container.StepStatus {
		f := newFixture(t)
		f.write("job.yaml", slowJob)
		f.write("work.wasm", string(leak))
		var text strings.Builder
		for i := range lines {
			if i%2 == 0 {
				text.WriteString("leak\n")
			} else {
				fmt.Fprintf(&text, "line %d\n", i)
			}
		}
		f.write("in/f", text.String())
		o := f.options(set...)
		hook(&o.Hooks)
		out, s := status(t, o)
		checkCounts(t, out, lines, 0, 0, lines)
		t.Logf("%v: %d recycled, traps %v", set, s.Recycled, s.TrapsBy)
		return s
	}
	// Once its memory is nearly full it leaks slowly until an epoch has ended:
	// a commit may take longer than a leak to the limit.
	var epochs, behind atomic.Int64
	slowly := func(h *container.Hooks) {
		read := 0
		h.Decided = func(uint64) { epochs.Add(1) }
		h.Read = func(n int) {
			read += n
			switch {
			case read == 1700:
				behind.Store(epochs.Load() + 2) // the next one may have been sealed before
			case read > 1700 && epochs.Load() < behind.Load():
				time.Sleep(20 * time.Millisecond)
			}
		}
	}
	if s := run(slowly, "limits.memory=64MiB", "limits.batch.records=1", "epoch=2ms"); s.Recycled == 0 {
		t.Error("no instance was recycled")
	}
	// It leaks faster than epochs end: a record that meets the limit is tried
	// again by an instance that has not leaked.
	for _, records := range []string{"1", "16"} {
		if s := run(func(*container.Hooks) {}, "limits.memory=16MiB", "limits.batch.records="+records, "epoch=1h"); s.TrapsBy["memory"] == 0 {
			t.Error("no instance met its limit")
		}
	}
}

// delayed returns how long the threads of this process have waited for a CPU
// that others had, 0 where the system does not tell.
func delayed(t *testing.T) (d time.Duration) {
	t.Helper()
	names, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if fields := strings.Fields(string(text)); err == nil && len(fields) == 3 {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			d += time.Duration(n)
		}
	}
	return d
}

// What a job may use of the CPU it gets, and no more.
func TestSandbox_CPUIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	const wall, rate = 3 * time.Second, 0.2
	f := newFixture(t)
	f.write("job.yaml", slowJob)
	f.write("work.wasm", string(wasmtest.OnValue("busy", nil, func(wasmtest.Imports) []byte { return wasmtest.Spin(spinFor(t, time.Millisecond)) })))
	f.write("in/f", strings.Repeat("busy\n", 20_000))
	f.write("in/g", strings.Repeat("busy\n", 20_000))
	j, err := host.Open(t.Context(), f.options("limits.cpu=200ms/s"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), wall)
	defer cancel()
	began, delay := time.Now(), delayed(t)
	_, err = j.Run(ctx)
	elapsed := time.Since(began)
	delay = min(max(0, delayed(t)-delay), elapsed)
	used := j.Status().Steps[0].Guest
	if e := j.Close(); e != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err, e)
	}
	want := time.Duration(float64(elapsed) * rate)
	least := time.Duration(float64(elapsed-delay) * rate) // what others had it could not use
	t.Logf("it used %v in %v, want %v to %v", used, elapsed, least, want)
	if used < least*3/4 || used > want*5/4 {
		t.Errorf("it used %v of CPU time in %v, want %v to %v", used, elapsed, least, want)
	}
}

// A guest that loops does not hold a job up that is told to end.
func TestSandbox_ALoopEndsWithTheRun(t *testing.T) {
	plugintest.NoLeak(t)
	f := newFixture(t)
	f.write("job.yaml", slowJob)
	f.write("work.wasm", string(wasmtest.Greedies("loop")[0].Wasm))
	f.write("in/f", "a\nloop\nb\n")
	j, err := host.Open(t.Context(), f.options("limits.record=10m"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended time.Time
	stopper := make(chan struct{})
	go func() {
		defer close(stopper)
		for ctx.Err() == nil && (j.Status().Steps == nil || j.Status().Steps[0].Overruns == 0) {
			runtime.Gosched()
		}
		j.Stop()
		ended = time.Now()
		cancel()
	}()
	_, err = j.Run(ctx)
	cancel()
	<-stopper
	// Its record has ten minutes, so that less than one shows what it is about.
	if took := time.Since(ended); !errors.Is(err, context.Canceled) || took > time.Minute {
		t.Errorf("the run ended with %v, %v after it was told", err, took)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// A guest may name so many metrics and no more, whatever it does about it.
func TestSandbox_MetricsAreFew(t *testing.T) {
	const name, result = 600, 6 // an address, a free local
	var define uint32
	counting := wasmtest.OnValue("go", func(m *wasmtest.Module, _ wasmtest.Imports) {
		define = m.Import(abi.ImportModule, "metric_define", "iii", "i")
		m.Data(name, []byte("m_aaaa"))
	}, func(im wasmtest.Imports) []byte {
		return wasmtest.Code( // metrics m_aaaa to m_zzaa: 676 of them
			wasmtest.Loop,
			wasmtest.Const(0), wasmtest.Const(name), wasmtest.Const(6), wasmtest.Call(define), wasmtest.Set(result),
			wasmtest.Const(name), wasmtest.Const(name), wasmtest.Load8(2), wasmtest.Const(1), wasmtest.Add, wasmtest.Store8(2),
			wasmtest.Const(name), wasmtest.Load8(2), wasmtest.Const('z'), wasmtest.GtU, wasmtest.Eqz, wasmtest.BrIf(0),
			wasmtest.Const(name), wasmtest.Const('a'), wasmtest.Store8(2),
			wasmtest.Const(name), wasmtest.Const(name), wasmtest.Load8(3), wasmtest.Const(1), wasmtest.Add, wasmtest.Store8(3),
			wasmtest.Const(name), wasmtest.Load8(3), wasmtest.Const('z'), wasmtest.GtU, wasmtest.Eqz, wasmtest.BrIf(0),
			wasmtest.End,
			wasmtest.Const(0), wasmtest.Get(result), wasmtest.Const(name), wasmtest.Const(0), wasmtest.Call(im.Fail), wasmtest.Drop,
		)
	})
	f := newFixture(t)
	f.write("job.yaml", slowJob)
	f.write("work.wasm", string(counting))
	f.write("in/f", "go\n")
	_, s := status(t, f.options())
	if len(s.Metrics) != 64 {
		t.Errorf("%d metrics, want 64", len(s.Metrics))
	}
	letters := f.letters("rejects")
	if len(letters) != 1 || letters[0].Headers["wasmill-error-code"] != fmt.Sprint(-int(abi.ENOSPC)) {
		t.Errorf("dead letters %v, want code ENOSPC", letters)
	}
}

// State that a call puts has an end, however small the pieces; what a call
// wrote by then is dropped with it.
func TestSandbox_StateOfACallIsBounded(t *testing.T) {
	const size, result = 1 << 20, 6
	wasm := wasmtest.OnValue(`{"k":"fill"}`, func(m *wasmtest.Module, _ wasmtest.Imports) { m.Memory(64) }, func(im wasmtest.Imports) []byte {
		const key = 600
		return wasmtest.Code( // a new key of four bytes each time, a value of 1 MiB
			wasmtest.Loop,
			wasmtest.Const(key), wasmtest.Const(key), wasmtest.Load(0), wasmtest.Const(1), wasmtest.Add, wasmtest.Store(0),
			wasmtest.Const(0), wasmtest.Const(key), wasmtest.Const(4), wasmtest.Const(size), wasmtest.Const(size), wasmtest.Call(im.StatePut), wasmtest.Set(result),
			wasmtest.Get(result), wasmtest.Eqz, wasmtest.BrIf(0),
			wasmtest.End,
			wasmtest.Const(0), wasmtest.Get(result), wasmtest.Const(key), wasmtest.Const(4), wasmtest.Call(im.Fail), wasmtest.Drop,
		)
	})
	f := newFixture(t)
	f.write("job.yaml", countJobWith("{dead_letter: rejects}"))
	f.write("count.wasm", string(wasm))
	f.write("in/f", `{"k":"a"}`+"\n"+`{"k":"fill"}`+"\n"+`{"k":"b"}`+"\n")
	out, _ := status(t, f.options("limits.record=30s"))
	checkCounts(t, out, 3, 0, 1, 2)
	letters := f.letters("rejects")
	if len(letters) != 1 || letters[0].Headers["wasmill-error-code"] != fmt.Sprint(-int(abi.ENOSPC)) {
		t.Fatalf("dead letters %v, want code ENOSPC", letters)
	}
	if n := []byte(strings.TrimPrefix(letters[0].Headers["wasmill-error"], "rejected: ")); len(n) == 0 || bytes.Compare(n[:1], []byte{60}) < 0 || n[0] > 64 {
		t.Errorf("it was refused at key %v, want one about the 63rd", n)
	}
}
