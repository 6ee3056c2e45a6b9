package jobspec

import (
	"slices"
	"strings"

	"github.com/wasmill/wasmill/plugins"
)

// object is a map of the document, read by its fields. It holds what the
// document has and the defaults of what it has not.
type object struct {
	spot
	path   string
	values map[string]value
	keys   map[string]spot // where the document has them
	faulty bool            // the document has keys that are not known
}

// value is the value of one key; its spot is zero if it is a default.
type value struct {
	spot
	v any
}

// get returns the value of a key, the zero T if it is absent or was faulty.
func get[T any](o *object, name string) T {
	v, _ := o.values[name].v.(T)
	return v
}

// has reports whether the document has a key, well formed or not.
func (o *object) has(name string) bool { return o.keys[name].text != nil }

// object reads a map. at is where faults about the whole of it point to.
func (r *reader) object(n *node, at spot, path string, fields []plugins.Field) *object {
	o := &object{spot: at, path: path, values: map[string]value{}, keys: map[string]spot{}}
	if n.kind != mapNode && n.kind != nullNode {
		r.fault(n.spot, msgType, title(path), "a map", n.describe())
		o.faulty, r.blind = true, true
		return o
	}
	meant := map[string]bool{}
	for _, e := range n.keys {
		i := slices.IndexFunc(fields, func(f plugins.Field) bool { return f.Name == e.name })
		switch {
		case i < 0:
			r.fault(e.spot, msgUnknown, e.name, title(path), suggest(e.name, known(fields)))
			o.faulty = true
			meant[near(e.name, known(fields))] = true
		case fields[i].Type == typeLater:
			r.fault(e.spot, msgLater, join(path, e.name), clause(fields[i].Doc))
			o.faulty = true
		default:
			o.keys[e.name] = e.spot
			o.values[e.name] = value{e.value.spot, r.field(e, join(path, e.name), fields[i])}
		}
	}
	for _, f := range fields {
		if _, ok := o.values[f.Name]; ok {
			continue
		}
		switch {
		case meant[f.Name]:
			r.blind = r.blind || f.Type == typeRefs
		case f.Required:
			r.fault(at, msgRequired, title(path), f.Name, clause(f.Doc))
			r.blind = true
		case f.Default != nil:
			o.values[f.Name] = value{v: defaultOf(f)}
		}
	}
	return o
}

// keyDefaults as the Default of an object is one with the defaults of its
// keys. Other objects, so all of connectors, are absent if the document does
// not have them.
type keyDefaults struct{}

func defaultOf(f plugins.Field) any {
	if _, ok := f.Default.(keyDefaults); !ok {
		return f.Default
	}
	o := &object{values: map[string]value{}}
	for _, k := range f.Fields {
		if k.Default != nil {
			o.values[k.Name] = value{v: defaultOf(k)}
		}
	}
	return o
}

// config turns the object of a connector into what the connector gets.
func (o *object) config() plugins.Config {
	c := plugins.Config{}
	for name, v := range o.values {
		switch v := v.v.(type) {
		case nil:
		case *object:
			if v != nil {
				c[name] = v.config()
			}
		default:
			c[name] = v
		}
	}
	return c
}

// named is an entry of a map of names.
type named struct {
	spot
	name string
	*object
}

// entries reads a map of names.
func (r *reader) entries(n *node, path string, f plugins.Field) []named {
	if n.kind != mapNode && n.kind != nullNode {
		r.fault(n.spot, msgType, title(path), "a map of names", n.describe())
		return nil
	}
	if len(n.keys) > maxEntries {
		r.fault(n.spot, msgTooMany, title(path))
		return nil
	}
	if len(n.keys) == 0 && f.Required {
		r.fault(n.spot, msgNoElements, title(path))
	}
	var all []named
	for _, e := range n.keys {
		if !isName(e.name) {
			r.fault(e.spot, msgName, "in "+path+",", e.name)
			r.blind = true
			continue
		}
		all = append(all, named{e.spot, e.name, r.object(e.value, e.spot, join(path, e.name), f.Fields)})
	}
	return all
}

// known are the names of fields that a build has.
func known(fields []plugins.Field) []string {
	var names []string
	for _, f := range fields {
		if f.Type != typeLater {
			names = append(names, f.Name)
		}
	}
	return names
}

// join is the path of a key.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// clause makes of a field's Doc the end of a fault.
func clause(doc string) string {
	if len(doc) > 1 && doc[1] >= 'a' {
		doc = strings.ToLower(doc[:1]) + doc[1:]
	}
	return strings.TrimSuffix(doc, ".")
}

// title is what faults call a path.
func title(path string) string {
	if path == "" {
		return "the job"
	}
	return path
}
