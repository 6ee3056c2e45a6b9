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
	errStore = errors.New("fault in store")
	errSink  = errors.New("fault in sink")
	errInit  = errors.New("fault in init")
	errEnd   = errors.New("fault in end")
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
	dead    bool                // the present run has crashed
	trouble bool                // a fault after which an epoch may be printed again
	ended   map[[2]int]bool     // steps and tasks whose end has begun
	wrong   string              // what a step should not have seen
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
	s := &sim{g: newGraph(seed), rng: rng, crashes: map[epoch.Point]int{}, left: rng.IntN(16)}
	p, err := plan.Make(s.g.spec)
	if err != nil {
		t.Fatal(err)
	}
	s.plan = p
	for range s.g.spec.Sinks {
		s.sinks = append(s.sinks, newSimSink(way(rng.IntN(int(ways)))))
	}
	for _, stage := range p.Stages {
		for _, st := range stage.Steps {
			s.g.steps[st.Spec].partitions = stage.Partitions
		}
	}
	for attempt := 0; ; attempt++ {
		var failed *task.RecordFailure
		if attempt > 200 {
			t.Fatalf("not finished after %d runs\n%s", attempt, s.g)
		}
		out, err := s.attempt(t, uint64(attempt))
		if err == nil && out.Finished {
			s.check(t, out)
			return s
		}
		if errors.As(err, &failed) {
			s.repair(t, failed, out.Stopped)
			continue
		}
		if err != nil && !planned(err) {
			t.Fatalf("run %d: %v\n%s", attempt, err, s.g)
		}
	}
}

// planned tells whether a run may end with err: of what is tried again it has
// had too much.
func planned(err error) bool {
	var m *task.ModuleFailure
	if errors.As(err, &m) {
		return strings.Contains(err.Error(), errInit.Error()) || strings.Contains(err.Error(), errEnd.Error())
	}
	return errors.Is(err, errCrash) || errors.Is(err, errStore) || errors.Is(err, errSink) || errors.Is(err, state.ErrOutcomeUnknown) || errors.Is(err, context.Canceled)
}

// repair makes the record that ended a run a good one, as a user would, and
// checks that the next run begins with it. Of an aggregate nobody knows which
// one it was: all that are still to come are made good.
func (s *sim) repair(t *testing.T, f *task.RecordFailure, stopped bool) {
	if f.Origin.Part == nil {
		t.Fatalf("no origin: %v\n%s", f, s.g)
	}
	failed, at := string(f.Origin.Part.Split), int(f.Origin.Position())
	store, err := s.disk.Open(memstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	next := -1
	for i, tr := range s.g.sources {
		c := epoch.Checkpoint{Store: store}
		begun, errB := c.Started(i)
		splits, errS := c.Splits(i)
		var waiting []string
		for k := range c.Waiting(i, &err) {
			waiting = append(waiting, string(k))
		}
		if err := errors.Join(errB, errS, err); err != nil {
			t.Fatal(err)
		}
		for sp := range tr.each() {
			from := len(sp.records) // unless it is still to come
			if !begun || slices.ContainsFunc(waiting, func(dir string) bool { return strings.HasPrefix(sp.id, dir+"/") }) {
				from = 0
			}
			if j := slices.IndexFunc(splits, func(r epoch.Split) bool { return string(r.ID) == sp.id }); j >= 0 {
				from = int(splits[j].Next)
			}
			if sp.id == failed {
				next = from
			}
			for n := from; n < len(sp.records); n++ {
				if sp.id == failed && n == at || f.Origin.Aggregate() {
					delete(sp.large, n)
					r := &sp.records[n]
					r.value, r.key, r.alt = "ok", "k1", `"k2"`
				}
			}
		}
	}
	if next > at || next < at && !stopped { // stopped: before it came so far
		t.Errorf("record %d of %s failed, but the next run begins with %d", at, failed, next)
	}
}

// attempt runs the job until it ends, is stopped, or crashes.
func (s *sim) attempt(t *testing.T, n uint64) (container.Outcome, error) {
	sc := newSched(rand.New(rand.NewPCG(s.rng.Uint64(), n)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.dead = false
	crash := func(p epoch.Point) {
		s.crashes[p]++
		s.dead, s.trouble = true, true
		s.disk.Crash(func(n int) int { return s.rng.IntN(n + 1) })
		cancel()
	}
	small := func(v ...int) int { return v[s.rng.IntN(len(v))] }
	c := container.Config{
		Plan: s.plan, Identity: map[string]string{"job": "sim"}, Modules: s.modules(sc),
		Open:     func() (state.Store, error) { return s.open(sc) },
		Unsealed: small(1, 2000, 1<<20), Queue: small(1, 2000, 1<<20), CacheBytes: small(1, 3000, 1<<20), Pending: small(1, 3, 1000),
		Batch: plugins.Limit{Records: small(1, 3, 20), Bytes: 1 << 20, Record: 1 << 20},
		Hooks: container.Hooks{Yield: sc.yield, At: func(p epoch.Point) error {
			sc.yield(-2)
			if s.strike(8) {
				crash(p)
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
			if s.dead {
				return errCrash
			}
			late := what == "finalise" // also of a writer that is opened
			if s.strike(map[bool]int{false: 25, true: 6}[late]) {
				s.trouble = s.trouble || late
				return &plugins.Error{Class: plugins.Exhausted, Retry: true, Err: fmt.Errorf("%s: %w", what, errSink)}
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
		case s.dead:
		case s.strike(300):
			crash("")
		case s.rng.IntN(1000) == 0:
			k.Stop()
		}
	}
	if !sc.drive(done) {
		t.Errorf("run %d does not end: %+v\n%s", n, k.Status(), s.g)
		cancel()
		sc.limit += sc.limit
		sc.drive(done)
		t.FailNow()
	}
	if s.dead {
		err = errCrash
	}
	s.traces = append(s.traces, sc.trace.Sum64())
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

// open opens the store and learns from it which ends have begun.
func (s *sim) open(sc *sched) (state.Store, error) {
	if s.dead {
		return nil, errCrash
	}
	store, err := s.disk.Open(memstore.Options{})
	if err != nil {
		return nil, err
	}
	s.ended = map[[2]int]bool{}
	for i, stage := range s.plan.Stages {
		for j, st := range stage.Steps {
			for p := range stage.Partitions {
				end, err := epoch.Checkpoint{Store: store}.End(i, p, j)
				if err != nil {
					return nil, err
				}
				if end.Done || end.Token != nil {
					s.ended[[2]int{st.Spec, p % stage.Tasks}] = true
				}
			}
		}
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return s.disk.Open(s.storeFaults(sc))
}

func (s *sim) storeFaults(sc *sched) memstore.Options {
	return memstore.Options{
		BeforeRead: func() error {
			if s.strike(3000) {
				s.trouble = true
				return errStore
			}
			return nil
		},
		BeforeCommit: func(bool) error {
			sc.yield(-3)
			switch {
			case s.dead:
				return errCrash
			case s.strike(20):
				s.trouble = true
				return errStore
			case s.strike(20):
				s.trouble = true
				return state.ErrOutcomeUnknown
			}
			return nil
		},
		AfterCommit: func(bool) error {
			if s.strike(20) {
				s.trouble = true
				return state.ErrOutcomeUnknown
			}
			return nil
		},
	}
}

// check compares what the sinks hold and the counts say with the model.
func (s *sim) check(t *testing.T, out container.Outcome) {
	m := &model{g: s.g}
	m.run()
	if s.wrong != "" {
		t.Error(s.wrong)
	}
	for i, k := range s.sinks {
		name := s.g.spec.Sinks[i].Name
		mayRepeat := k.way == prints && s.trouble
		var got []string
		for _, w := range slices.Sorted(maps.Keys(k.files)) {
			if len(k.parts[w]) > 0 {
				t.Errorf("sink %s, writer %d: %d parts are left", name, w, len(k.parts[w]))
			}
			for _, r := range k.files[w] {
				got = append(got, r.key+"="+r.encode())
			}
			if bad := s.disorder(k.files[w]); bad != "" && !mayRepeat {
				t.Errorf("sink %s, writer %d: out of order: %s", name, w, bad)
			}
		}
		if d := difference(got, m.out[name], mayRepeat); d != "" {
			t.Errorf("sink %s: %s", name, d)
		}
	}
	out.Counts.Bytes = 0
	if out.Counts != m.done {
		t.Errorf("counts are %+v, want %+v", out.Counts, m.done)
	}
	for i := range s.g.sources {
		var got []string
		for _, f := range out.Faults[i] {
			got = append(got, f.Path)
		}
		if d := difference(got, m.faults[i], false); d != "" {
			t.Errorf("faults of source %d: %s", i, d)
		}
	}
	if t.Failed() {
		t.Logf("graph:\n%s", s.g)
	}
}

// disorder returns a record that came before an earlier one of its split,
// keys and path. Where two ways through the job look alike it says nothing.
func (s *sim) disorder(rs []item) string {
	keys := map[string][]item{}
	for _, tr := range s.g.sources {
		for sp := range tr.each() {
			keys[sp.id] = sp.records
		}
	}
	last, seen, twice := map[string]int{}, map[string]bool{}, map[string]bool{}
	for i := range 2 * len(rs) { // first what comes twice, then the order
		r := rs[i%len(rs)]
		if r.split == "end" || r.split == "count" || strings.Contains(r.path, "!") || r.key == "" {
			continue
		}
		id := strings.Join([]string{r.split, keys[r.split][r.index].key, r.alt, r.path}, " ")
		one := fmt.Sprint(id, r.index)
		if i < len(rs) {
			twice[id] = twice[id] || seen[one]
			seen[one] = true
			continue
		}
		if n, ok := last[id]; ok && r.index <= n && !twice[id] {
			return fmt.Sprintf("%s: %d after %d", id, r.index, n)
		}
		last[id] = r.index
	}
	return ""
}

// difference tells which lines got has too many or lacks; with mayRepeat, got
// may have more than one of what is wanted.
func difference(got, want []string, mayRepeat bool) string {
	count, wanted := map[string]int{}, map[string]bool{}
	for _, s := range got {
		count[s]++
	}
	for _, s := range want {
		count[s]--
		wanted[s] = true
	}
	var lines []string
	for _, s := range slices.Sorted(maps.Keys(count)) {
		if n := count[s]; n > 0 && !(mayRepeat && wanted[s]) {
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
