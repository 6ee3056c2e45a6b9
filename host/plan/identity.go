package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// Identity returns what the state of a job depends on, by path: if any of it
// differs, state that was written under the one plan means something else
// under the other. digests holds the digest of each step's module, by the
// name of the step.
//
// In it are the job's name and guarantee, connectors and their keys, the
// graph, keys, outputs, stores and their numbers, tasks and partitions as
// planned, modules and their config, and who writes to which sink.
// Not in it, so free to change between runs: epoch, limits, state_dir, and
// on_error as long as no stage begins or ceases to write to a sink by it.
func (p *Plan) Identity(digests map[string]string) map[string]string {
	id := map[string]string{
		"job":       p.Spec.Job,
		"guarantee": string(p.Spec.Guarantee),
	}
	for _, s := range p.Spec.Sources {
		path := "sources." + s.Name
		id[path] = s.Kind.Name
		flatten(id, path+"."+s.Kind.Name, s.Config)
	}
	for i := range p.Stages {
		p.identifyStage(id, &p.Stages[i], digests)
	}
	for i := range p.Sinks {
		p.identifySink(id, i)
	}
	return id
}

func (p *Plan) identifyStage(id map[string]string, st *Stage, digests map[string]string) {
	path := "steps." + st.Name
	if st.Source >= 0 {
		path = "sources." + st.Name
	} else {
		id[path+".partitions"] = strconv.Itoa(st.Partitions)
	}
	id[path+".tasks"] = strconv.Itoa(st.Tasks)
	for _, step := range st.Steps {
		s := &p.Spec.Steps[step.Spec]
		path := "steps." + s.Name
		id[path+".from"] = strings.Join(step.Inputs, ", ")
		id[path+".stage"] = st.Name
		id[path+".outputs"] = strings.Join(s.Outputs, ", ")
		if s.Key != nil {
			id[path+".key"] = keyText(s.Key)
		}
		if s.Wasm != "" {
			id[path+".wasm"] = digests[s.Name]
		}
		if s.Config != nil {
			id[path+".config"] = jsonText(s.Config)
		}
		for _, store := range step.Stores {
			id[path+".stores."+store.Name] = "store " + strconv.Itoa(int(store.ID))
		}
	}
}

func (p *Plan) identifySink(id map[string]string, i int) {
	spec := &p.Spec.Sinks[i]
	path := "sinks." + spec.Name
	id[path] = spec.Kind.Name
	flatten(id, path+"."+spec.Kind.Name, spec.Config)
	var from, writers []string
	for _, r := range spec.From {
		from = append(from, r.String())
	}
	for _, w := range p.Sinks[i].Writers {
		st := &p.Stages[w.Stage]
		writers = append(writers, fmt.Sprintf("%s %d-%d", st.Name, w.First, w.First+st.Tasks-1))
	}
	id[path+".from"] = strings.Join(from, ", ")
	id[path+".writers"] = strings.Join(writers, ", ")
}

// flatten adds the keys of a connector below path.
func flatten(id map[string]string, path string, c plugins.Config) {
	for name, v := range c {
		at := path + "." + name
		switch v := v.(type) {
		case plugins.Config:
			flatten(id, at, v)
		case time.Duration:
			id[at] = jobspec.FormatDuration(v)
		case string:
			id[at] = v
		default:
			id[at] = jsonText(v)
		}
	}
}

// jsonText is a value as JSON; keys of maps are in order.
func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // not JSON, which a job file cannot make
	}
	return string(b)
}

func keyText(k *jobspec.Key) string {
	if k.Own {
		return "true"
	}
	return strconv.Quote(k.Pointer)
}

// Change is a difference between two identities. A value that one of them
// lacks is "".
type Change struct{ Path, Old, New string }

// String returns the change with both values.
func (c Change) String() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s is new: %s", c.Path, c.New)
	case c.New == "":
		return fmt.Sprintf("%s is gone: it was %s", c.Path, c.Old)
	}
	return fmt.Sprintf("%s was %s, is now %s", c.Path, c.Old, c.New)
}

// Changes returns the differences between two identities by path, nil if
// there are none.
func Changes(old, now map[string]string) []Change {
	paths := maps.Clone(old)
	if paths == nil {
		paths = map[string]string{}
	}
	maps.Copy(paths, now)
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if old[path] != now[path] {
			changes = append(changes, Change{path, old[path], now[path]})
		}
	}
	return changes
}
