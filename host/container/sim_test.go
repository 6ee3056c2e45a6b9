package container_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
)

var (
	seeds = flag.Int("seeds", 1000, "seeds of TestSimulation")
	first = flag.Uint64("seed", 1, "first seed of TestSimulation")
)

var (
	errCrash = errors.New("crash")
	errStore = errors.New("store: not applied")
)

// sim is one job with its surroundings through all its crashes.
type sim struct {
	g       *graph
	plan    *plan.Plan
	rng     *rand.Rand // of crashes and faults
	disk    memstore.Disk
	sinks   []*simSink
	crashes map[epoch.Point]int // by point; "" anywhere
	left    int                 // crashes and faults still to come
	traces  []uint64            // of its runs
}

// TestSimulation runs random jobs under random schedules in virtual time,
// with crashes at and between the steps of commits, stores that fail and
// outcomes that stay unknown, and compares what comes out with a sequential
// model. A seed replays exactly: go test -run TestSimulation -seed N -seeds 1
func TestSimulation(t *testing.T) {
	crashes := map[epoch.Point]int{}
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for p, n := range simulate(t, seed).crashes {
					crashes[p] += n
				}
			})
		}) {
			t.Fatalf("seed %d failed", seed)
		}
	}
	for _, p := range epoch.Points {
		if *seeds >= 1000 && crashes[p] < 20 {
			t.Errorf("crashed %d times %s, want 20", crashes[p], p)
		}
	}
	t.Logf("crashes: %v", crashes)
}

// TestSimulation_SeedReplaysExactly runs seeds twice and compares who went when.
func TestSimulation_SeedReplaysExactly(t *testing.T) {
	for seed := uint64(1); seed <= 50; seed++ {
		var traces [2][]uint64
		for i := range traces {
			synctest.Test(t, func(t *testing.T) { traces[i] = simulate(t, seed).traces })
		}
		if !slices.Equal(traces[0], traces[1]) {
			t.Fatalf("seed %d went two ways: %x and %x", seed, traces[0], traces[1])
		}
	}
}

func simulate(t *testing.T, seed uint64) *sim {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := &sim{g: newGraph(seed), rng: rng, crashes: map[epoch.Point]int{}, left: rng.IntN(12)}
	p, err := plan.Make(s.g.spec)
	if err != nil {
		t.Fatal(err)
	}
	s.plan = p
	for range s.g.spec.Sinks {
		s.sinks = append(s.sinks, newSimSink(rng.IntN(2) == 0))
	}
	for attempt := 0; ; attempt++ {
		var failed *task.RecordFailure
		if attempt > 200 {
			t.Fatalf("not finished after %d runs\n%s", attempt, s.g)
		}
		out, err := s.attempt(t, uint64(attempt))
		if err == nil && out.Finished {
			break
		}
		if errors.As(err, &failed) {
			s.repair(t, failed, out.Stopped)
			continue
		}
		if err != nil && !errors.Is(err, errCrash) && !errors.Is(err, errStore) && !errors.Is(err, context.Canceled) {
			t.Fatalf("run %d: %v\n%s", attempt, err, s.g)
		}
	}
	s.check(t)
	return s
}

// repair makes the record that ended a run a good one, as a user would, and
// checks that the next run begins with it.
func (s *sim) repair(t *testing.T, f *task.RecordFailure, stopped bool) {
	at, o := int(f.Origin.Position()), f.Origin
	for sp := range s.g.sources[o.Part.Source].each() {
		if sp.id == string(o.Part.Split) {
			delete(sp.large, at)
			sp.records[at].value = "ok"
		}
	}
	if stopped {
		return // before it came so far
	}
	store, err := s.disk.Open(memstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	splits, err := epoch.Checkpoint{Store: store}.Splits(o.Part.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range splits {
		if string(sp.ID) == string(o.Part.Split) && int(sp.Next) == at {
			return
		}
	}
	t.Errorf("record %d of %s failed, but the next run does not begin with it: %+v", at, o.Part.Split, splits)
}

// attempt runs the job until it ends, is stopped, or crashes.
func (s *sim) attempt(t *testing.T, n uint64) (container.Outcome, error) {
	sc := newSched(rand.New(rand.NewPCG(s.rng.Uint64(), n)))
	ctx, crash := context.WithCancel(t.Context())
	defer crash()
	small := func(v ...int) int { return v[s.rng.IntN(len(v))] }
	c := container.Config{
		Plan: s.plan, Identity: map[string]string{"job": "sim"}, Modules: s.g.modules(sc.yield),
		Open:     func() (state.Store, error) { return s.disk.Open(s.storeFaults(sc)) },
		Unsealed: small(1, 2000, 1<<20), Queue: small(1, 2000, 1<<20), CacheBytes: small(1, 3000, 1<<20), Pending: small(1, 3, 1000),
		Batch: plugins.Limit{Records: small(1, 3, 20), Bytes: 1 << 20, Record: 1 << 20},
		Hooks: container.Hooks{Yield: sc.yield, At: func(p epoch.Point) error {
			sc.yield(-2)
			if s.strike(8) {
				s.crashes[p]++
				crash()
				return errCrash
			}
			return nil
		}},
	}
	for i, tr := range s.g.sources {
		c.Sources = append(c.Sources, &simSource{root: tr, rng: rand.New(rand.NewPCG(s.g.seed, 100+uint64(i))), yield: func() { sc.yield(1000 + i) }})
	}
	for _, k := range s.sinks {
		k.fail = func(what string) error {
			if s.strike(60) {
				return &plugins.Error{Class: plugins.Exhausted, Retry: true, Err: errors.New("fault in " + what)}
			}
			return nil
		}
		c.Sinks = append(c.Sinks, k)
	}
	k := container.New(c)
	var out container.Outcome
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = k.Run(ctx)
	}()
	sc.step = func(int) {
		switch {
		case s.strike(300):
			s.crashes[""]++
			crash()
		case s.strike(300):
			k.Stop()
		}
	}
	if !sc.drive(done) {
		t.Errorf("run %d does not end: %+v\n%s", n, k.Status(), s.g)
		crash()
		sc.limit += sc.limit
		sc.drive(done)
		t.FailNow()
	}
	if ctx.Err() != nil {
		err = errCrash
	}
	s.traces = append(s.traces, sc.trace.Sum64())
	s.disk.Crash(func(n int) int { return s.rng.IntN(n + 1) })
	return out, err
}

// strike draws whether a fault happens, once in n times while some are left.
func (s *sim) strike(n int) bool {
	if s.left == 0 || s.rng.IntN(n) > 0 {
		return false
	}
	s.left--
	return true
}

func (s *sim) storeFaults(sc *sched) memstore.Options {
	return memstore.Options{
		BeforeCommit: func(bool) error {
			sc.yield(-3)
			switch {
			case s.strike(50):
				return errStore
			case s.strike(50):
				return state.ErrOutcomeUnknown
			}
			return nil
		},
		AfterCommit: func(bool) error {
			if s.strike(50) {
				return state.ErrOutcomeUnknown
			}
			return nil
		},
	}
}

// check compares what the sinks hold with the model.
func (s *sim) check(t *testing.T) {
	want := (&model{g: s.g}).run()
	for i, k := range s.sinks {
		name := s.g.spec.Sinks[i].Name
		var got []string
		for _, w := range slices.Sorted(maps.Keys(k.files)) {
			if len(k.parts[w]) > 0 {
				t.Errorf("sink %s, writer %d: %d parts are left", name, w, len(k.parts[w]))
			}
			for _, r := range k.files[w] {
				got = append(got, r.key+"="+r.encode())
			}
			if bad := disorder(k.files[w]); bad != "" {
				t.Errorf("sink %s, writer %d: out of order: %s", name, w, bad)
			}
		}
		slices.Sort(got)
		slices.Sort(want[name])
		if d := difference(got, want[name]); d != "" {
			t.Errorf("sink %s: %s", name, d)
		}
	}
	if t.Failed() {
		t.Logf("graph:\n%s", s.g)
	}
}

// disorder returns a record that came before an earlier one of its split,
// key and path. Where two ways through the job look alike it says nothing.
func disorder(rs []item) string {
	last, seen, twice := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, r := range rs {
		id := r.split + " " + r.key + " " + r.path
		one := fmt.Sprint(id, r.index)
		twice[id] = twice[id] || seen[one]
		seen[one] = true
	}
	for _, r := range rs {
		if r.split == "end" || r.split == "count" || strings.Contains(r.path, "!") {
			continue
		}
		id := r.split + " " + r.key + " " + r.path
		if n, ok := last[id]; ok && r.index <= n && !twice[id] {
			return fmt.Sprintf("%s: %d after %d", id, r.index, n)
		}
		last[id] = r.index
	}
	return ""
}

func difference(got, want []string) string {
	count := map[string]int{}
	for _, s := range got {
		count[s]++
	}
	for _, s := range want {
		count[s]--
	}
	var lines []string
	for _, s := range slices.Sorted(maps.Keys(count)) {
		if n := count[s]; n > 0 {
			lines = append(lines, fmt.Sprintf("%d too many of %s", n, s))
		} else if n < 0 {
			lines = append(lines, fmt.Sprintf("%d missing of %s", -n, s))
		}
	}
	if len(lines) > 12 {
		lines = append(lines[:12], fmt.Sprintf("and %d more", len(lines)-12))
	}
	return strings.Join(lines, "\n")
}
