package jobspec

import (
	"path/filepath"
	"slices"

	"github.com/wasmill/wasmill/plugins"
)

func (r *reader) addSource(d *draft, n named) {
	s := Source{Name: n.name, Tasks: int(get[int64](n.object, "tasks")), Place: n.spot.place()}
	if s.Tasks == 0 {
		s.Tasks = r.o.CPUs
	}
	var names []string
	for _, k := range r.reg.Sources() {
		names = append(names, k.Name)
	}
	if name, c := r.connector(n, names); name != "" {
		s.Kind, _ = r.reg.FindSource(name)
		s.Config = c
	}
	d.Sources = append(d.Sources, s)
	d.sources = append(d.sources, n.spot)
}

func (r *reader) addSink(d *draft, n named) {
	s := Sink{Name: n.name, Place: n.spot.place()}
	var spots []spot
	s.From, spots = n.refs()
	var names []string
	for _, k := range r.reg.Sinks() {
		names = append(names, k.Name)
	}
	if name, c := r.connector(n, names); name != "" {
		s.Kind, _ = r.reg.FindSink(name)
		s.Config = c
		r.checkPaths(d, s, n)
	}
	d.Sinks = append(d.Sinks, s)
	d.sinks = append(d.sinks, n.spot)
	d.sinkFrom = append(d.sinkFrom, spots)
	d.fed = append(d.fed, n.has("from"))
}

// connector returns the one connector of a source or sink.
func (r *reader) connector(n named, names []string) (string, plugins.Config) {
	var found []string
	for _, name := range names {
		if n.has(name) {
			found = append(found, name)
		}
	}
	switch {
	case len(found) > 1:
		r.fault(n.spot, msgConnectors, n.path, found[0], found[1])
	case len(found) == 1:
		if o := get[*object](n.object, found[0]); o != nil {
			return found[0], o.config()
		}
	case !n.faulty:
		r.fault(n.spot, msgNoConnector, n.path, list(names, "or"))
	}
	return "", nil
}

// checkPaths refuses two sinks of a kind of which the one has the required
// path of the other, or one inside of it: the one could take the files of the
// other for its own leftovers.
func (r *reader) checkPaths(d *draft, s Sink, n named) {
	for _, f := range s.Kind.Fields {
		if f.Type != plugins.Path || !f.Required {
			continue
		}
		path := s.Config.String(f.Name)
		if path == "" {
			continue
		}
		for _, other := range d.Sinks {
			earlier := other.Config.String(f.Name)
			if other.Kind.Name != s.Kind.Name || earlier == "" {
				continue
			}
			at := get[*object](n.object, s.Kind.Name).values[f.Name]
			switch {
			case path == earlier:
				r.fault(at.spot, msgSamePath, "sinks."+other.Name, n.path)
			case inside(path, earlier):
				r.fault(at.spot, msgNestedPath, n.path, "sinks."+other.Name)
			case inside(earlier, path):
				r.fault(at.spot, msgNestedPath, "sinks."+other.Name, n.path)
			}
		}
	}
}

// inside tells whether path lies below dir; both are clean and absolute.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (r *reader) addStep(d *draft, n named) {
	o := n.object
	s := Step{
		Name:       n.name,
		Key:        get[*Key](o, "key"),
		KeepsKey:   get[bool](o, "keeps_key"),
		Wasm:       get[string](o, "wasm"),
		Config:     get[any](o, "config"),
		Outputs:    slices.Clone(get[[]string](o, "outputs")),
		Tasks:      int(get[int64](o, "tasks")),
		Partitions: int(get[int64](o, "partitions")),
		Place:      n.spot.place(),
	}
	if n.has("key") && s.Key == nil {
		s.Key = &Key{} // faulty, yet there
	}
	var spots []spot
	s.From, spots = o.refs()
	for _, st := range get[[]named](o, "stores") {
		s.Stores = append(s.Stores, Store{Name: st.name, Place: st.spot.place()})
	}
	if e := get[*object](o, "on_error"); e != nil && e.has("record") {
		p := d.policy(e)
		s.OnError = &p
	}
	r.checkStep(&s, n)
	d.Steps = append(d.Steps, s)
	d.steps = append(d.steps, n.spot)
	d.stepFrom = append(d.stepFrom, spots)
	first := spot{}
	if all := get[[]named](o, "stores"); len(all) > 0 {
		first = all[0].spot
	}
	d.stores = append(d.stores, first)
}

// needWasm are the keys of a step that are about its module.
var needWasm = []string{"config", "stores", "outputs", "keeps_key"}

// checkStep looks whether the keys of a step go together.
func (r *reader) checkStep(s *Step, n named) {
	if !n.has("wasm") {
		if !n.has("key") && !n.faulty {
			r.fault(n.spot, msgNothing, n.path)
		}
		for _, name := range needWasm {
			if n.has(name) {
				r.fault(n.object.keys[name], msgNeedsWasm, join(n.path, name))
			}
		}
	}
	if n.has("partitions") && !n.has("key") {
		r.fault(n.object.keys["partitions"], msgPartitions, join(n.path, "partitions"))
	}
	if s.Partitions > 0 && s.Tasks > s.Partitions {
		r.fault(n.values["tasks"].spot, msgTasks, join(n.path, "tasks"), s.Partitions)
	}
}
