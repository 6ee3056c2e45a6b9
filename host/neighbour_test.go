package host_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// soak makes tests hold what they are about on a machine that does nothing
// else: without it bounds are ten times as wide.
var soak = flag.Bool("soak", false, "hold the bounds of a quiet machine, for longer")

// greedyJob runs a guest in three tasks, one of which has a store.
const greedyJob = `
job: greedy
sources:
  docs:
    walk: {root: ./in, compression: none}
    tasks: 2
  more:
    walk: {root: ./in, compression: none}
    tasks: 1
steps:
  greed:
    from: docs
    wasm: ./greed.wasm
  stateful:
    from: more
    key: ""
    wasm: ./greed.wasm
    partitions: 1
    stores: {s: {}}
sinks:
  out:
    from: [greed, stateful]
    file: {path: ./out}
  rejects:
    file: {path: ./rejects}
on_error: {record: {dead_letter: rejects}}
limits: {memory: 128MiB}
`

// greedy is the value, a JSON string, at which its guest goes wild.
const greedy = `"greedy"`

// nobody is a host that takes everything and keeps nothing.
type nobody struct{}

func (nobody) Emit([]byte) abi.Errno                               { return abi.OK }
func (nobody) Fail(uint32, int32, []byte) abi.Errno                { return abi.OK }
func (nobody) StateGet(uint32, []byte) ([]byte, abi.Errno)         { return nil, abi.ENOENT }
func (nobody) StatePut(uint32, []byte, []byte) abi.Errno           { return abi.OK }
func (nobody) StateDelete(uint32, []byte) abi.Errno                { return abi.OK }
func (nobody) Resume([]byte) abi.Errno                             { return abi.OK }
func (nobody) Now() int64                                          { return 0 }
func (nobody) LogEnabled(guest.Level) bool                         { return false }
func (nobody) Log(guest.Level, []byte)                             {}
func (nobody) MetricAdd(uint32, int64) abi.Errno                   { return abi.OK }
func (nobody) StateScan(_ uint32, _, _, _ []byte) (int, abi.Errno) { return 0, abi.OK }
func (nobody) MetricDefine(guest.MetricKind, []byte) (uint32, abi.Errno) {
	return 0, abi.OK
}

// latencies are times that somebody waited.
type latencies []time.Duration

// at returns the latency that so many per cent do not exceed.
func (l latencies) at(percent float64) time.Duration {
	slices.Sort(l)
	return l[min(len(l)-1, int(float64(len(l))*percent/100))]
}

// resident is a guest of the neighbour.
type resident struct {
	t      *testing.T
	module guest.Module
	in     guest.Instance
}

// start replaces the instance.
func (r *resident) start() {
	r.t.Helper()
	if r.in != nil {
		if err := r.in.Close(context.Background()); err != nil {
			r.t.Error(err)
		}
	}
	var err error
	if r.in, err = r.module.Instantiate(context.Background(), guest.Init{}, nobody{}); err != nil {
		r.t.Fatal(err)
	}
}

// batch makes a call, and makes it again as a job does if its quantum was over:
// the kernel may charge a thread for what the machine did.
func (r *resident) batch(b *wire.Batch) {
	_, err := r.in.Batch(context.Background(), b)
	var tr *guest.Trap
	if errors.As(err, &tr) && tr.Kind == guest.TrapQuantum {
		r.start()
		_, err = r.in.Batch(context.Background(), b)
	}
	if err != nil {
		r.t.Error(err)
	}
}

// neighbour runs batches of an engine of its own, one a millisecond, and a
// collection every 50 ms, and measures how long each takes.
func neighbour(t *testing.T, r *resident, d time.Duration) (batches, collections latencies) {
	t.Helper()
	b := &wire.Batch{Partition: record.Partition{Name: "p"}}
	for i := range 1000 {
		b.Add(&record.Record{Position: record.Position(i), Value: []byte(strings.Repeat("x", 100))})
	}
	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	every := func(each time.Duration, do func()) (took latencies) {
		tick := time.NewTicker(each)
		defer tick.Stop()
		for {
			began := time.Now()
			do()
			took = append(took, time.Since(began))
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				return took
			}
		}
	}
	group.Go(func() { collections = every(50*time.Millisecond, runtime.GC) })
	batches = every(time.Millisecond, func() { r.batch(b) })
	group.Wait()
	return batches, collections
}

// A tenant does its worst, a kind after the other, as a job that is driven as
// any is. Beside it a neighbour's batches and the garbage collector do not
// wait longer than for a few quanta.
func TestSandbox_NeighboursAreNotSlowed(t *testing.T) {
	bound, d := time.Second, 800*time.Millisecond
	switch {
	case *soak:
		bound, d = bound/10, 10*time.Second
	case testing.Short():
		d /= 4
	}
	e, err := guest.NewEngine(t.Context(), guest.EngineOptions{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Compile(t.Context(), passthrough.Wasm, "neighbour")
	if err != nil {
		t.Fatal(err)
	}
	r := &resident{t: t, module: m}
	r.start()
	t.Cleanup(func() {
		for _, close := range []func(context.Context) error{r.in.Close, m.Close, e.Close} {
			if err := close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	neighbour(t, r, d/4) // warm
	for _, g := range wasmtest.Greedies(greedy) {
		if testing.Short() && g.Name != "loop" && g.Name != "host calls" {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			again := 2 // a machine that is busy with other things may be late, but not each time
			if *soak {
				again = 0
			}
			for ; ; again-- {
				aloneBatches, aloneGC := neighbour(t, r, d)
				stop := beGreedy(t, g.Wasm)
				batches, collections := neighbour(t, r, d)
				stats := stop()
				alone, beside, most := aloneBatches.at(99), batches.at(99), collections.at(100)
				t.Logf("%d batches: p50 %v, p99 %v, most %v (alone %d: p50 %v, p99 %v, most %v); %d collections: p50 %v, most %v (alone %v); greedy: %d calls, %d overruns, traps %v, %v of CPU time",
					len(batches), batches.at(50), beside, batches.at(100), len(aloneBatches), aloneBatches.at(50), alone, aloneBatches.at(100),
					len(collections), collections.at(50), most, aloneGC.at(100), stats.Batches, stats.Overruns, stats.Traps, stats.CPU.Round(time.Millisecond))
				if stats.Overruns == 0 && len(stats.Traps) == 0 {
					t.Errorf("the greedy guest was not greedy: %+v", stats)
				}
				if again > 0 && (beside-alone > bound || most > bound) {
					continue
				}
				if beside-alone > bound {
					t.Errorf("the neighbour's p99 rose from %v to %v", alone, beside)
				}
				if most > bound {
					t.Errorf("a collection took %v (alone %v)", most, aloneGC.at(100))
				}
				return
			}
		})
	}
}

// greed is what a greedy job did.
type greed struct {
	Batches, Overruns int64
	Traps             map[string]int64 // by kind
	CPU               time.Duration
}

// beGreedy runs the greedy job, again when it ends, until stop is called. It
// returns when the guest has begun to be greedy.
func beGreedy(t *testing.T, wasm []byte) (stop func() greed) {
	t.Helper()
	f := newFixture(t)
	f.write("job.yaml", greedyJob)
	f.write("greed.wasm", string(wasm))
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, "%s\n\"good %d\"\n", greedy, i)
	}
	f.write("in/f", lines.String())
	f.write("in/g", lines.String())
	o := f.options()
	o.Fresh = true
	o.Log = slog.New(slog.NewTextHandler(io.Discard, nil)) // lines are written, and nobody reads them
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan struct{})
	var once sync.Once
	sum := greed{Traps: map[string]int64{}}
	one := func() error {
		j, err := host.Open(ctx, o)
		if err != nil {
			return err
		}
		look := func() (n int64) {
			for _, s := range j.Status().Steps {
				n += s.Overruns + s.Traps
			}
			return n
		}
		var group sync.WaitGroup
		over, done := context.WithCancel(ctx)
		group.Go(func() {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for over.Err() == nil && look() == 0 {
				<-tick.C
			}
			once.Do(func() { close(began) })
		})
		_, err = j.Run(ctx)
		done()
		group.Wait()
		for _, s := range j.Status().Steps {
			sum.Batches += s.Batches
			sum.Overruns += s.Overruns
			sum.CPU += s.Guest
			for kind, n := range s.TrapsBy {
				sum.Traps[kind] += n
			}
		}
		if e := j.Close(); e != nil {
			t.Error(e)
		}
		return err
	}
	var group sync.WaitGroup
	group.Go(func() {
		defer once.Do(func() { close(began) })
		for ctx.Err() == nil {
			if err := one(); err != nil && ctx.Err() == nil && !strings.Contains(err.Error(), "parked after") {
				t.Error(err)
				return
			}
		}
	})
	<-began
	return func() greed {
		cancel()
		group.Wait()
		return sum
	}
}
