package jobspec

import (
	"encoding/json"
	"strconv"
)

// kind is the kind of a node.
type kind int

const (
	nullNode kind = iota
	boolNode
	numberNode
	stringNode
	listNode
	mapNode
)

// node is a value of the document: aliases and merges resolved, variables
// replaced, so that what reads it need not know of them.
type node struct {
	spot
	kind    kind
	text    string // of a scalar; a number in the form of JSON
	loose   string // of a scalar with a variable: its text, good as a string whatever its kind
	isLoose bool   // loose is meant
	bad     bool   // it has a fault already
	base    string // what a path in a scalar is relative to
	local   bool   // base is the job file's directory
	items   []*node
	keys    []entry
}

// entry is a key of a map and its value.
type entry struct {
	spot
	name  string
	value *node
}

// find returns the index of a key, -1 if there is none.
func (n *node) find(name string) int {
	for i := range n.keys {
		if n.keys[i].name == name {
			return i
		}
	}
	return -1
}

// str returns a scalar's text if it can stand for a string.
func (n *node) str() (string, bool) {
	if n.isLoose {
		return n.loose, true
	}
	return n.text, n.kind == stringNode
}

// describe names what a node is, for a fault.
func (n *node) describe() string {
	switch n.kind {
	case nullNode:
		return "empty"
	case boolNode:
		return n.text
	case numberNode:
		return "the number " + n.text
	case stringNode:
		return strconv.Quote(n.text)
	case listNode:
		return "a list"
	}
	return "a map"
}

// value returns a node as a JSON value: nil, bool, json.Number, string, []any
// or map[string]any.
func (n *node) value() any {
	switch n.kind {
	case nullNode:
		return nil
	case boolNode:
		return n.text == "true"
	case numberNode:
		return json.Number(n.text)
	case stringNode:
		return n.text
	case listNode:
		l := make([]any, len(n.items))
		for i, e := range n.items {
			l[i] = e.value()
		}
		return l
	}
	m := make(map[string]any, len(n.keys))
	for _, e := range n.keys {
		m[e.name] = e.value.value()
	}
	return m
}
