package jobspec

import (
	"slices"
	"strconv"
	"strings"
)

// set applies one --set to the document: path=value.
func (r *reader) set(root *node, arg string, order int) {
	path, value, ok := strings.Cut(arg, "=")
	t := &text{name: "--set", order: order, lines: splitLines(arg)}
	start := spot{t, Place{1, 1}}
	if !ok || path == "" {
		r.fault(start, msgSetForm)
		return
	}
	names := strings.Split(path, ".")
	if slices.Contains(names, "") {
		r.fault(start, msgSetElement, path)
		return
	}
	v := r.readValue(t, path+"=", value)
	if v == nil {
		return
	}
	at := root
	for i, name := range names {
		down := r.descend(at, name, start, strings.Join(names[:i], "."), path)
		if down == nil {
			return
		}
		if i == len(names)-1 {
			*down = v
			if k := at.find(name); k >= 0 {
				at.keys[k].spot = start
			}
			return
		}
		if *down == nil || (*down).kind == nullNode {
			*down = &node{spot: start, kind: mapNode, base: r.work}
		}
		at = *down
	}
}

// descend returns where the value called name is in n, making the place for a
// new key or for one more entry of a list.
func (r *reader) descend(n *node, name string, at spot, parent, path string) **node {
	switch n.kind {
	case mapNode:
		i := n.find(name)
		if i < 0 {
			i = len(n.keys)
			n.keys = append(n.keys, entry{spot: at, name: name})
		}
		return &n.keys[i].value
	case listNode:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i > len(n.items) {
			r.fault(at, msgSetIndex, path, parent, len(n.items))
			return nil
		}
		if i == len(n.items) {
			n.items = append(n.items, nil)
		}
		return &n.items[i]
	}
	r.fault(at, msgSetPath, path, parent, n.describe())
	return nil
}
