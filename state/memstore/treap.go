package memstore

import (
	"bytes"
	"hash/maphash"
)

// node is a node of a persistent treap: ordered by key, and a heap by prio,
// which is a hash of the key. Nodes do not change once made; a write makes new
// ones along its path, so that an old root is a snapshot.
type node struct {
	key, value  []byte
	prio        uint64
	left, right *node
}

var seed = maphash.MakeSeed()

// split returns the keys of n below key and those not below it.
func split(n *node, key []byte) (below, rest *node) {
	if n == nil {
		return nil, nil
	}
	c := *n
	if bytes.Compare(n.key, key) < 0 {
		c.right, rest = split(n.right, key)
		return &c, rest
	}
	below, c.left = split(n.left, key)
	return below, &c
}

// join returns the keys of a and b, all of a's being below all of b's.
func join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.prio > b.prio:
		c := *a
		c.right = join(a.right, b)
		return &c
	}
	c := *b
	c.left = join(a, b.left)
	return &c
}

// set returns n with key set. It keeps key and value.
func set(n *node, key, value []byte) *node {
	below, rest := split(n, key)
	_, rest = split(rest, after(key))
	one := &node{key: key, value: value, prio: maphash.Bytes(seed, key)}
	return join(join(below, one), rest)
}

// deleteRange returns n without the keys in [lower, upper).
func deleteRange(n *node, lower, upper []byte) *node {
	if bytes.Compare(lower, upper) >= 0 {
		return n
	}
	below, rest := split(n, lower)
	_, rest = split(rest, upper)
	return join(below, rest)
}

func get(n *node, key []byte) *node {
	for n != nil {
		switch c := bytes.Compare(key, n.key); {
		case c == 0:
			return n
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil
}

// after returns the key that follows key.
func after(key []byte) []byte {
	return append(key[:len(key):len(key)], 0)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
