//go:build unix

package bench_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
)

const loopJob = `
job: loop
sources: {in: {memory: {}, tasks: 1}}
steps: {pass: {from: in, wasm: ./pass.wasm}}
sinks: {out: {from: pass, memory: {}}}
`

// loopPlan is the plan of a source, a step and a sink in one task.
func loopPlan(b testing.TB) *plan.Plan {
	b.Helper()
	reg := new(plugins.Registry)
	reg.Source(plugins.SourceKind{Name: "memory"})
	reg.Sink(plugins.SinkKind{Name: "memory"})
	dir := b.TempDir()
	for name, text := range map[string][]byte{"job.yaml": []byte(loopJob), "pass.wasm": passthrough.Wasm} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	spec, err := jobspec.Load(filepath.Join(dir, "job.yaml"), reg, jobspec.Overrides{})
	if err != nil {
		b.Fatal(err)
	}
	p, err := plan.Make(spec)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

const loopRecords, loopBytes = 1024, 100 // of a batch, of a record's value

// runLoop puts batches through the whole loop of one task: read, guest, sink,
// barriers and commits. begin is called right before.
func runLoop(tb testing.TB, m guest.Module, batches int, begin func()) {
	tb.Helper()
	source, sink := newMemorySource(batches, loopRecords, loopBytes), new(memorySink)
	c := container.New(container.Config{
		Plan: loopPlan(tb), Sources: []plugins.Source{source}, Sinks: []plugins.Sink{sink}, Modules: []guest.Module{m},
		Open: func() (state.Store, error) { return memstore.New(memstore.Options{}), nil },
	})
	begin()
	out, err := c.Run(tb.Context())
	if err != nil || !out.Finished || sink.records != batches*loopRecords {
		tb.Fatalf("%d of %d records came out; %+v, %v", sink.records, batches*loopRecords, out, err)
	}
}

func benchmarkLoop(b *testing.B, m guest.Module) {
	b.SetBytes(loopRecords * loopBytes)
	b.ReportAllocs()
	var began time.Duration
	runLoop(b, m, b.N, func() { b.ResetTimer(); began = cpuTime(b) })
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*loopRecords), "ns/record")
	b.ReportMetric(float64(cpuTime(b)-began)/float64(b.N*loopRecords), "cpu-ns/record")
}

// BenchmarkLoop measures what the host costs: the guest passes records on.
func BenchmarkLoop(b *testing.B) {
	b.Run("guest=wasm", func(b *testing.B) {
		benchmarkLoop(b, compile(b, passthrough.Wasm))
	})
	b.Run("guest=native", func(b *testing.B) {
		benchmarkLoop(b, guest.Native("pass-through", func(_ guest.Init, c guest.Calls) (guest.NativeInstance, error) {
			return &passNative{calls: c}, nil
		}))
	})
}

// Nothing is allocated for a record: the difference between a long run and a
// short one, in which buffers grow, is what epochs take. How much buffers grow
// is up to the garbage collector, 20 to 350 MB in a run of any length: the long
// one is so long that this is little.
func TestLoop_AllocatesNothingForARecord(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests are for -race, under which pools forget")
	}
	m := compile(t, passthrough.Wasm)
	allocated := func(batches int) (count, bytes uint64) {
		var before, after runtime.MemStats
		runLoop(t, m, batches, func() { runtime.ReadMemStats(&before) })
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
	}
	const few, many = 3000, 43_000
	count, bytes := allocated(few)
	count2, bytes2 := allocated(many)
	per := func(a, b uint64) float64 { return (float64(b) - float64(a)) / ((many - few) * loopRecords) }
	t.Logf("%.4f allocations and %.1f bytes a record", per(count, count2), per(bytes, bytes2))
	if per(count, count2) > 0.01 || per(bytes, bytes2) > 20 {
		t.Error("that is too much")
	}
}

// compile compiles a module in an engine of its own.
func compile(tb testing.TB, wasm []byte) guest.Module {
	tb.Helper()
	ctx := context.Background()
	e, err := guest.NewEngine(ctx, guest.EngineOptions{NoCache: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	m, err := e.Compile(ctx, wasm, "guest")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// passNative does in Go what the pass-through guest does, on a frame of its own.
type passNative struct {
	calls guest.Calls
	frame []byte
}

func (n *passNative) Batch(b *wire.Batch) (abi.Errno, error) {
	le := binary.LittleEndian
	n.frame = b.AppendFrame(n.frame[:0])
	recs := n.frame[b.FrameSize()-len(b.Records):]
	for i := uint32(0); len(recs) > 0; i++ {
		le.PutUint64(recs[8:], 0)
		le.PutUint32(recs[16:], i)
		le.PutUint16(recs[20:], 0)
		recs = recs[le.Uint32(recs[36:]):]
	}
	return n.calls.Emit(n.frame), nil
}

func (n *passNative) End([]byte) (bool, abi.Errno, error) { return false, abi.OK, nil }
