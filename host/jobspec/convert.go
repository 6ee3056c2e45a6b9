package jobspec

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of a document, aliases counted as often as they are used.
const (
	maxDepth = 64
	maxNodes = 100_000
)

// converter turns the nodes of the YAML parser into ours.
type converter struct {
	r     *reader
	text  *text
	shift int                 // of the columns in the first line
	base  string              // of paths
	open  map[*yaml.Node]bool // what is being converted
}

func (c *converter) spot(y *yaml.Node) spot {
	at := spot{c.text, Place{max(1, y.Line), max(1, y.Column)}}
	if at.Line == 1 {
		at.Column += c.shift
	}
	return at
}

// convert returns the node of y, or nil if the document has too much of
// anything, which is a fault already.
func (c *converter) convert(y *yaml.Node, depth int) *node {
	at := c.spot(y)
	if y.Kind == yaml.AliasNode {
		if c.open[y.Alias] {
			c.r.fault(at, msgSelf, y.Value)
			return nil
		}
		return c.convert(y.Alias, depth)
	}
	if depth > maxDepth {
		c.r.fault(at, msgDeep)
		return nil
	}
	if c.r.nodes++; c.r.nodes > maxNodes {
		c.r.fault(spot{text: c.text}, msgMany)
		return nil
	}
	c.open[y] = true
	defer delete(c.open, y)
	n := &node{spot: at, base: c.base, local: c.text.order == 0}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = listNode
		for _, e := range y.Content {
			item := c.convert(e, depth+1)
			if item == nil {
				return nil
			}
			n.items = append(n.items, item)
		}
	case yaml.MappingNode:
		n.kind = mapNode
		if !c.mapping(n, y, depth) {
			return nil
		}
	default:
		c.scalar(n, y)
		return n
	}
	c.tag(n, y)
	return n
}

// mapping fills n with the keys of y.
func (c *converter) mapping(n *node, y *yaml.Node, depth int) bool {
	have := make(map[string]int, len(y.Content)/2)
	var merges []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		at := c.spot(k)
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		value := c.convert(v, depth+1)
		if value == nil {
			return false
		}
		if k.Kind != yaml.ScalarNode || k.Value == "" {
			c.r.fault(at, msgKeyKind)
			continue
		}
		if k.Tag == "!!merge" {
			merges = append(merges, c.merged(value)...)
			continue
		}
		if first, ok := have[k.Value]; ok {
			c.r.fault(at, msgDuplicate, k.Value, n.keys[first].Line)
			continue
		}
		have[k.Value] = len(n.keys)
		n.keys = append(n.keys, entry{spot: at, name: k.Value, value: value})
	}
	for _, m := range merges {
		for _, e := range m.keys {
			if _, ok := have[e.name]; !ok {
				have[e.name] = len(n.keys)
				n.keys = append(n.keys, e)
			}
		}
	}
	return true
}

// merged returns the maps that a << names, the strongest first.
func (c *converter) merged(value *node) []*node {
	maps := []*node{value}
	if value.kind == listNode {
		maps = value.items
	}
	for _, m := range maps {
		if m.kind != mapNode {
			c.r.fault(m.spot, msgMerge)
			return nil
		}
	}
	return maps
}

// readFile converts the document of the job file.
func (r *reader) readFile(data []byte) *node {
	y := r.readText(data)
	if y == nil {
		return nil
	}
	c := converter{r: r, text: r.file, base: r.dir, open: map[*yaml.Node]bool{}}
	return c.convert(y, 0)
}

// readValue converts the value of a --set, which begins behind prefix. One
// that begins with * is a glob: there is nothing that it could be an alias of.
func (r *reader) readValue(t *text, prefix, value string) *node {
	shift := utf8.RuneCountInString(prefix)
	start := spot{t, Place{1, shift + 1}}
	y, second, err := parseYAML([]byte(value))
	switch {
	case strings.HasPrefix(value, "*"):
		return &node{spot: start, kind: stringNode, text: value, base: r.work}
	case err != nil:
		r.fault(start, msgSetSyntax, syntaxMessage(err))
		return nil
	case second > 0:
		r.fault(start, msgSetDocs)
		return nil
	case y == nil:
		return &node{spot: start, base: r.work}
	}
	c := converter{r: r, text: t, shift: shift, base: r.work, open: map[*yaml.Node]bool{}}
	return c.convert(y.Content[0], 0)
}
