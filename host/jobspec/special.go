package jobspec

import (
	"strings"

	"github.com/wasmill/wasmill/plugins"
)

// ref is a Ref and where it stands.
type ref struct {
	Ref
	spot
}

// refs reads what a step or sink reads: a reference or a list of them.
func (r *reader) refs(n *node, path string) (any, bool) {
	items := []*node{n}
	if n.kind == listNode {
		items = n.items
		if len(items) == 0 {
			r.fault(n.spot, msgNoElements, path)
			r.blind = true
			return nil, false
		}
	}
	if len(items) > maxEntries {
		r.fault(n.spot, msgTooMany, path)
		return nil, false
	}
	var all []ref
	for _, i := range items {
		s, ok := i.str()
		if i.bad {
			r.blind = true
			continue
		}
		if !ok {
			r.wrong(i, path, "the name of a source or step, or a list of them")
			r.blind = true
			continue
		}
		name, output, dotted := strings.Cut(s, ".")
		if !isName(name) || dotted && !isName(output) {
			r.fault(i.spot, msgName, path, s)
			r.blind = true
			continue
		}
		all = append(all, ref{Ref{Name: name, Output: output, Place: i.place()}, i.spot})
	}
	return all, len(all) > 0
}

// key reads a JSON Pointer, or true.
func (r *reader) key(n *node, path string) (any, bool) {
	k := &Key{Place: n.place()}
	if n.kind == boolNode && n.text == "true" {
		k.Own = true
		return k, true
	}
	s, ok := n.str()
	if !ok || n.kind == boolNode {
		r.fault(n.spot, msgKeyForm, path, n.describe())
		return nil, false
	}
	if !plugins.IsPointer(s) {
		r.fault(n.spot, msgPointer, path, s)
		return nil, false
	}
	k.Pointer = s
	return k, true
}

// policy is a RecordPolicy and where its sink's name stands.
type policy struct {
	RecordPolicy
	spot
}

// letterFields are the keys of a policy that is a map.
var letterFields = []plugins.Field{
	{Name: string(DeadLetter), Type: typeName, Required: true, Doc: "The sink that gets the records."},
}

// policy reads fail, skip or {dead_letter: SINK}.
func (r *reader) policy(n *node, path string) (any, bool) {
	if s, ok := n.str(); ok && (s == string(Fail) || s == string(Skip)) {
		return policy{RecordPolicy{Action: RecordAction(s), Place: n.place()}, n.spot}, true
	}
	if n.kind != mapNode {
		r.fault(n.spot, msgLetterForm, path, n.describe())
		return nil, false
	}
	o := r.object(n, n.spot, path, letterFields)
	sink := get[string](o, string(DeadLetter))
	at := o.values[string(DeadLetter)].spot
	return policy{RecordPolicy{Action: DeadLetter, Sink: sink, Place: at.place()}, at}, sink != ""
}
