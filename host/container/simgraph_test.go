package container_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// kind is what a step of the simulation does.
type kind int

const (
	pass   kind = iota // emits each record
	fork               // emits each to two outputs
	upsert             // counts by key and emits the count with each record
	total              // counts by key and emits the counts at the end
	hand               // a step without a module
	kinds
)

// fault is what a step does with a record whose value says "bad".
type fault int

const (
	none      fault = iota
	rejects         // by fail, after it wrote state
	traps           // by a trap, after it wrote state
	malformed       // by a malformed frame
	faults
)

type simStep struct {
	name   string
	kind   kind
	fault  fault
	sleeps bool
	from   []jobspec.Ref
	keyed  bool
	policy jobspec.RecordPolicy
}

// graph is a random job.
type graph struct {
	seed    uint64
	sources []*tree
	steps   []*simStep
	sinks   map[string][]jobspec.Ref // by name
	policy  jobspec.RecordPolicy     // of the job
	spec    *jobspec.Spec
}

func newGraph(seed uint64) *graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := &graph{seed: seed, sinks: map[string][]jobspec.Ref{}, policy: jobspec.RecordPolicy{Action: jobspec.Skip}}
	switch rng.IntN(4) {
	case 0:
		g.policy = jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: "dead"}
	case 1:
		g.policy = jobspec.RecordPolicy{Action: jobspec.Fail}
	}
	g.spec = &jobspec.Spec{Job: "sim", CPUs: 2, Guarantee: jobspec.ExactlyOnce, OnError: jobspec.OnError{Record: g.policy, Module: jobspec.ModuleRestart, Source: jobspec.SourceSkip}}
	g.spec.Epoch = []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 5 * time.Second}[rng.IntN(4)]
	var open []jobspec.Ref // what may be read
	for i := range 1 + rng.IntN(2) {
		name := "src" + strconv.Itoa(i)
		g.sources = append(g.sources, newTree(rng, name, 2))
		g.spec.Sources = append(g.spec.Sources, jobspec.Source{Name: name, Tasks: 1 + rng.IntN(3)})
		open = append(open, jobspec.Ref{Name: name})
	}
	unread := slices.Clone(open)
	for i := range 1 + rng.IntN(5) {
		s := g.addStep(rng, i, open, &unread)
		g.steps = append(g.steps, s)
		outs := []jobspec.Ref{{Name: s.name}}
		if s.kind == fork {
			outs = append(outs, jobspec.Ref{Name: s.name, Output: "more"})
		}
		open, unread = append(open, outs...), append(unread, outs...)
	}
	for i, r := range unread {
		name := "sink" + strconv.Itoa(i%2)
		g.sinks[name] = append(g.sinks[name], r)
	}
	for _, name := range []string{"sink0", "sink1", "dead"} {
		if len(g.sinks[name]) > 0 || name == "dead" {
			g.spec.Sinks = append(g.spec.Sinks, jobspec.Sink{Name: name, From: g.sinks[name]})
		}
	}
	return g
}

func (g *graph) addStep(rng *rand.Rand, i int, open []jobspec.Ref, unread *[]jobspec.Ref) *simStep {
	s := &simStep{name: "s" + strconv.Itoa(i), kind: kind(rng.IntN(int(kinds))), policy: g.policy}
	if rng.IntN(2) == 0 {
		s.fault = fault(rng.IntN(int(faults)))
	}
	s.sleeps = rng.IntN(12) == 0
	for len(s.from) == 0 || len(s.from) < 3 && rng.IntN(3) == 0 {
		r := open[rng.IntN(len(open))]
		if len(*unread) > 0 && rng.IntN(2) == 0 {
			r = (*unread)[rng.IntN(len(*unread))]
		}
		if !slices.Contains(s.from, r) {
			s.from = append(s.from, r)
		}
		*unread = slices.DeleteFunc(*unread, func(u jobspec.Ref) bool { return u == r })
	}
	spec := jobspec.Step{Name: s.name, From: s.from, Outputs: []string{"out"}}
	if s.kind == fork {
		spec.Outputs = append(spec.Outputs, "more")
	}
	if s.kind == upsert || s.kind == total {
		spec.Stores = []jobspec.Store{{Name: "counts"}}
		s.keyed = true
	}
	if s.keyed = s.keyed || rng.IntN(3) == 0; s.keyed {
		spec.Key = &jobspec.Key{Own: true}
		spec.Partitions = 1 + rng.IntN(4)
		spec.Tasks = 1 + rng.IntN(spec.Partitions)
	} else if rng.IntN(4) == 0 {
		spec.Tasks = 1 + rng.IntN(3)
	}
	if rng.IntN(3) == 0 {
		s.policy = jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: "dead"}
		spec.OnError = &s.policy
	}
	if s.kind == hand {
		s.fault, s.sleeps = none, false
	} else {
		spec.Wasm = "native"
	}
	g.spec.Steps = append(g.spec.Steps, spec)
	return s
}

func newTree(rng *rand.Rand, name string, depth int) *tree {
	t := &tree{name: name}
	for i := range rng.IntN(4) {
		s := &simSplit{id: name + "/f" + strconv.Itoa(i), large: map[int]bool{}, broken: -1}
		for n := range rng.IntN(30) {
			it := item{split: s.id, index: n, key: "k" + strconv.Itoa(rng.IntN(7)), value: "ok"}
			switch rng.IntN(40) {
			case 0:
				it.value = "bad"
			case 1:
				s.large[n] = true
			}
			s.records = append(s.records, it)
		}
		if rng.IntN(10) == 0 {
			s.broken = rng.IntN(len(s.records) + 1)
		}
		t.splits = append(t.splits, s)
	}
	if depth > 0 {
		for i := range rng.IntN(3) {
			t.dirs = append(t.dirs, newTree(rng, name+"/d"+strconv.Itoa(i), depth-1))
		}
	}
	return t
}

// model is what a job means: one record after the other, one place for all state.
type model struct {
	g      *graph
	counts map[string]int // by step and key
	out    map[string][]string
}

func (m *model) run() map[string][]string {
	m.counts, m.out = map[string]int{}, map[string][]string{}
	for i, t := range m.g.sources {
		for s := range t.each() {
			for n, r := range s.records {
				if n == s.broken {
					break
				}
				if s.large[n] {
					r.key = "" // a source that cannot hand on a record does not know its key
					m.fail(r, "too_large", m.g.policy)
					continue
				}
				m.feed(jobspec.Ref{Name: m.g.spec.Sources[i].Name}, r)
			}
		}
	}
	for _, s := range m.g.steps {
		if s.kind != total {
			continue
		}
		for k := range 7 {
			key := "k" + strconv.Itoa(k)
			if n := m.counts[s.name+key]; n > 0 {
				m.feed(jobspec.Ref{Name: s.name}, item{split: "end", path: s.name, key: key, value: strconv.Itoa(n)})
			}
		}
	}
	return m.out
}

func (m *model) feed(from jobspec.Ref, r item) {
	for _, s := range m.g.steps {
		if slices.Contains(s.from, from) {
			m.step(s, r)
		}
	}
	for name, refs := range m.g.sinks {
		if slices.Contains(refs, from) {
			m.out[name] = append(m.out[name], r.key+"="+r.encode())
		}
	}
}

func (m *model) step(s *simStep, r item) {
	if r.value == "bad" && s.fault != none {
		m.fail(r, [...]string{"", "rejected", "trap", "abi"}[s.fault], s.policy)
		return
	}
	if s.kind != hand {
		r.path += s.name
	}
	switch s.kind {
	case total:
		m.counts[s.name+r.key]++
		return
	case upsert:
		m.counts[s.name+r.key]++
		r = item{split: "count", path: s.name, key: r.key, value: strconv.Itoa(m.counts[s.name+r.key])}
	case fork:
		more := r
		more.path += "+"
		m.feed(jobspec.Ref{Name: s.name, Output: "more"}, more)
	}
	m.feed(jobspec.Ref{Name: s.name}, r)
}

func (m *model) fail(r item, class string, p jobspec.RecordPolicy) {
	if p.Action == jobspec.DeadLetter {
		r.path += "!" + class
		m.out[p.Sink] = append(m.out[p.Sink], r.key+"="+r.encode())
	}
}

// code is a step of the simulation behind the interface of guests.
type code struct {
	s     *simStep
	calls guest.Calls
	rng   *rand.Rand
	yield func()
}

func (c *code) emit(b *wire.Batch, out uint16, cause uint32, r item) abi.Errno {
	b.Add(&record.Record{Time: record.NoTime, Stream: out, Cause: cause, Key: []byte(r.key), Value: []byte(r.encode())})
	if c.rng.IntN(3) > 0 {
		return abi.OK
	}
	return c.flush(b)
}

func (c *code) flush(b *wire.Batch) abi.Errno {
	if b.Count == 0 {
		return abi.OK
	}
	e := c.calls.Emit(b.AppendFrame(nil))
	b.Reset()
	return e
}

// count adds one to a key's count.
func (c *code) count(key string) (int, abi.Errno) {
	n := 0
	v, e := c.calls.StateGet(0, []byte(key))
	if e != abi.OK && e != abi.ENOENT {
		return 0, e
	}
	if len(v) == 8 {
		n = int(binary.LittleEndian.Uint64(v))
	}
	n++
	return n, c.calls.StatePut(0, []byte(key), binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func (c *code) Batch(b *wire.Batch) (abi.Errno, error) {
	if c.s.sleeps && c.rng.IntN(4) == 0 {
		time.Sleep(30 * time.Second)
		c.yield()
	}
	var out wire.Batch
	var rec record.Record
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		r := decode(rec.Key, rec.Value)
		n, e := 0, abi.OK
		if c.s.kind == upsert || c.s.kind == total {
			if n, e = c.count(r.key); e != abi.OK {
				return e, nil
			}
		}
		if r.value == "bad" {
			switch c.s.fault {
			case rejects:
				c.calls.Fail(uint32(i), 7, []byte("bad"))
			case traps:
				return abi.OK, errors.New("bad")
			case malformed:
				c.calls.Emit([]byte("rubbish that is long enough to be a frame of 32 bytes or so"))
			}
		}
		r.path += c.s.name
		switch c.s.kind {
		case total:
			continue
		case upsert:
			r = item{split: "count", path: c.s.name, key: r.key, value: strconv.Itoa(n)}
		case fork:
			more := r
			more.path += "+"
			if e := c.emit(&out, 1, uint32(i), more); e != abi.OK {
				return e, nil
			}
		}
		if e := c.emit(&out, 0, uint32(i), r); e != abi.OK {
			return e, nil
		}
	}
	return c.flush(&out), nil
}

func (c *code) End(token []byte) (bool, abi.Errno, error) {
	if c.s.kind != total {
		return false, abi.OK, nil
	}
	var out wire.Batch
	buf := make([]byte, 8+2+8+c.rng.IntN(40)) // one entry at least
	n, e := c.calls.StateScan(0, token, nil, buf)
	if e != abi.OK {
		return false, e, nil
	}
	if n == 0 {
		return false, abi.OK, nil
	}
	last := ""
	for rest := buf[:n]; len(rest) > 0; {
		k := binary.LittleEndian.Uint32(rest)
		last = string(rest[8 : 8+k])
		v := binary.LittleEndian.Uint64(rest[8+k:])
		rest = rest[16+k:]
		e := c.emit(&out, 0, abi.CauseBatch, item{split: "end", path: c.s.name, key: last, value: strconv.FormatUint(v, 10)})
		if e != abi.OK {
			return false, e, nil
		}
	}
	c.calls.Resume([]byte(last + "\x00"))
	return true, c.flush(&out), nil
}

// modules returns the graph's steps as modules.
func (g *graph) modules(yield func(int)) []guest.Module {
	var all []guest.Module
	for i, s := range g.steps {
		if s.kind == hand {
			all = append(all, nil)
			continue
		}
		var instances [16]uint64 // by task
		all = append(all, guest.Native(s.name, func(init guest.Init, calls guest.Calls) (guest.NativeInstance, error) {
			instances[init.Task]++
			return &code{
				s: s, calls: calls, yield: func() { yield(2000 + 16*i + init.Task) },
				rng: rand.New(rand.NewPCG(g.seed, uint64(i)<<40|uint64(init.Task)<<32|instances[init.Task])),
			}, nil
		}))
	}
	return all
}

func (g *graph) String() string {
	var b strings.Builder
	for i, s := range g.steps {
		sp := &g.spec.Steps[i]
		fmt.Fprintf(&b, "%s: kind %d from %v keyed %v tasks %d partitions %d fault %d policy %s\n", s.name, s.kind, s.from, s.keyed, sp.Tasks, sp.Partitions, s.fault, s.policy.Action)
	}
	return b.String()
}
