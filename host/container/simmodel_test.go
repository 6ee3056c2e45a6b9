package container_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
)

// model is what a job means: one record after the other, one place for all state.
type model struct {
	g      *graph
	counts map[string]map[string]int // by step and key
	out    map[string][]string       // by sink
	done   epoch.Counts
	faults [][]string // parts that could not be read, by source
}

func (m *model) run() {
	m.counts, m.out = map[string]map[string]int{}, map[string][]string{}
	for _, s := range m.g.steps {
		m.counts[s.name] = map[string]int{}
	}
	for i, t := range m.g.sources {
		m.faults = append(m.faults, nil)
		for s := range t.each() {
			m.split(i, s)
		}
	}
	for _, s := range m.g.steps {
		if s.kind == total {
			for _, key := range slices.Sorted(maps.Keys(m.counts[s.name])) {
				m.feed(jobspec.Ref{Name: s.name}, made("end", s, key, m.counts[s.name][key]))
			}
		}
		if s.bye {
			for range s.partitions {
				m.feed(jobspec.Ref{Name: s.name}, made("end", s, "k0", -1))
			}
		}
	}
}

func (m *model) split(source int, s *simSplit) {
	for n, r := range s.records {
		switch {
		case n == s.broken:
		case s.large[n]:
			r.key = "" // a source that cannot hand on a record does not know its key
			m.fail(r, "too_large", m.g.policy)
			continue
		default:
			m.done.Records++
			m.feed(jobspec.Ref{Name: m.g.spec.Sources[source].Name}, r)
			continue
		}
		break
	}
	if s.broken < 0 {
		m.done.Splits++
		return
	}
	m.done.Faults++
	m.faults[source] = append(m.faults[source], s.id)
}

func (m *model) feed(from jobspec.Ref, r item) {
	for _, s := range m.g.steps {
		if slices.Contains(s.from, from) {
			m.step(s, r)
		}
	}
	for name, refs := range m.g.sinks {
		if slices.Contains(refs, from) {
			m.done.Out++
			m.out[name] = append(m.out[name], r.key+"="+r.encode())
		}
	}
}

func (m *model) step(s *simStep, r item) {
	if s.byAlt {
		key, ok := altKey(r.alt)
		if !ok {
			m.fail(r, "bad_key", s.policy)
			return
		}
		r.key = key
	}
	if s.stores() && r.key == "" {
		m.fail(r, "no_key", s.policy)
		return
	}
	if r.value == "bad" && s.fault != none {
		m.fail(r, s.fault.class(), s.policy)
		return
	}
	counts := m.counts[s.name]
	switch s.kind {
	case pass:
		r.path += s.name
	case fork:
		r.path += s.name
		more := r
		more.path += "+"
		m.feed(jobspec.Ref{Name: s.name, Output: "more"}, more)
	case upsert:
		counts[r.key]++
		r = made("count", s, r.key, counts[r.key])
	case third:
		counts[r.key] = counts[r.key]%3 + 1
		r = made("count", s, r.key, counts[r.key])
	case total:
		counts[r.key]++
		return
	}
	m.feed(jobspec.Ref{Name: s.name}, r)
}

func (m *model) fail(r item, class string, p jobspec.RecordPolicy) {
	if p.Action != jobspec.DeadLetter {
		m.done.Skipped++
		return
	}
	m.done.DeadLetter++
	r.path += "!" + class
	m.out[p.Sink] = append(m.out[p.Sink], r.key+"="+r.encode())
}

// made is a record that a step makes of many.
func made(split string, s *simStep, key string, n int) item {
	return item{split: split, path: s.name, key: key, alt: strconv.Quote(key), value: strconv.Itoa(n)}
}

// altKey returns the key that the pointer /alt finds.
func altKey(alt string) (key string, ok bool) {
	switch {
	case alt == "" || alt == "null" || alt[0] == '{' || alt[0] == '[':
		return "", false
	case alt[0] == '"':
		err := json.Unmarshal([]byte(alt), &key)
		return key, err == nil
	}
	return alt, true
}
