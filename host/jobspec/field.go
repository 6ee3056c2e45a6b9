package jobspec

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmill/wasmill/plugins"
)

// field reads the value of one key, nil if it has a fault.
func (r *reader) field(e entry, path string, f plugins.Field) any {
	n := e.value
	if n.bad {
		r.blind = r.blind || f.Type == typeRefs
		return nil
	}
	v, ok := r.typed(e, path, f)
	if !ok {
		return nil
	}
	if s, ok := v.(string); ok && len(f.Enum) > 0 && !slices.Contains(f.Enum, s) {
		r.fault(n.spot, msgEnum, path, list(f.Enum, "or"), n.describe(), nearly(s, f.Enum))
		return nil
	}
	if f.Check != nil {
		if err := f.Check(v); err != nil {
			r.fault(n.spot, msgRefused, path, err)
			return nil
		}
	}
	return v
}

// typed reads a value by its type alone.
func (r *reader) typed(e entry, path string, f plugins.Field) (any, bool) {
	n := e.value
	switch f.Type {
	case plugins.String:
		return r.wantString(n, path, "a string")
	case plugins.Bool:
		if n.kind == boolNode {
			return n.text == "true", true
		}
		return r.wrong(n, path, "true or false")
	case plugins.Int:
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil && n.kind == numberNode {
			return i, true
		}
		return r.wrong(n, path, "a whole number")
	case plugins.Size:
		return r.size(n, path)
	case plugins.Duration:
		return r.duration(n, path)
	case plugins.Path:
		return r.path(n, path)
	case plugins.Strings:
		return r.strings(n, path)
	case plugins.Object:
		return r.object(n, e.spot, path, f.Fields), true
	case typeName:
		return r.name(n, path)
	case typeNames:
		return r.names(n, path)
	case typeCount:
		return r.count(n, path)
	case typeRate:
		return r.rate(n, path)
	case typeRefs:
		return r.refs(n, path)
	case typeKey:
		return r.key(n, path)
	case typePolicy:
		return r.policy(n, path)
	case typeModule:
		return r.module(n, path)
	case typeMap:
		return r.entries(n, path, f), true
	}
	return n.value(), true // typeJSON
}

// wrong notes that a value is of the wrong type.
func (r *reader) wrong(n *node, path, want string) (any, bool) {
	r.fault(n.spot, msgType, path, want, n.describe())
	return nil, false
}

func (r *reader) wantString(n *node, path, want string) (any, bool) {
	if s, ok := n.str(); ok {
		return s, true
	}
	return r.wrong(n, path, want)
}

func (r *reader) size(n *node, path string) (any, bool) {
	if n.kind != stringNode && n.kind != numberNode {
		return r.wrong(n, path, "a size such as 64MiB")
	}
	size, err := ParseSize(n.text)
	if err != nil {
		hint := ""
		if s := nearSize(n.text); s != "" {
			hint = fmt.Sprintf(hintUnit, s)
		}
		r.fault(n.spot, msgSize, path, n.text, hint)
	}
	return size, err == nil
}

func (r *reader) duration(n *node, path string) (any, bool) {
	if n.kind != stringNode && n.kind != numberNode {
		return r.wrong(n, path, "a duration such as 100ms")
	}
	d, err := ParseDuration(n.text)
	if err != nil {
		hint := ""
		if isInteger(n.text) && n.text[0] != '-' {
			hint = fmt.Sprintf(hintUnit, n.text+"s")
		}
		r.fault(n.spot, msgDuration, path, n.text, hint)
	}
	return d, err == nil
}

// rate reads CPU time a second.
func (r *reader) rate(n *node, path string) (any, bool) {
	if n.kind != stringNode && n.kind != numberNode {
		return r.wrong(n, path, "CPU time a second such as 500ms/s")
	}
	d, err := ParseRate(n.text)
	if err != nil {
		r.fault(n.spot, msgRate, path, n.text)
	}
	return d, err == nil
}

// path reads a path and makes it absolute.
func (r *reader) path(n *node, path string) (any, bool) {
	s, ok := n.str()
	if !ok {
		return r.wrong(n, path, "a path")
	}
	if s == "" {
		r.fault(n.spot, msgNoPath, path)
		return nil, false
	}
	return absolute(n.base, s), true
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// strings reads one string or a list of them.
func (r *reader) strings(n *node, path string) (any, bool) {
	items := []*node{n}
	if n.kind == listNode {
		items = n.items
	}
	all := make([]string, 0, len(items))
	for _, i := range items {
		s, ok := i.str()
		if i.bad {
			return nil, false
		}
		if !ok {
			return r.wrong(i, path, "a string or a list of strings")
		}
		all = append(all, s)
	}
	return all, true
}

func (r *reader) count(n *node, path string) (any, bool) {
	i, err := strconv.ParseInt(n.text, 10, 64)
	if n.kind != numberNode || !isInteger(n.text) {
		return r.wrong(n, path, "a whole number")
	}
	if err != nil || i < 1 || i > maxCount {
		r.fault(n.spot, msgCount, path, n.text)
		return nil, false
	}
	return i, true
}

var nameForm = regexp.MustCompile("^" + namePattern + "$")

func isName(s string) bool { return nameForm.MatchString(s) }

func (r *reader) name(n *node, path string) (any, bool) {
	s, ok := n.str()
	if n.bad {
		return nil, false
	}
	if !ok {
		return r.wrong(n, path, "a name")
	}
	if !isName(s) {
		r.fault(n.spot, msgName, path, s)
		return nil, false
	}
	return s, true
}

func (r *reader) names(n *node, path string) (any, bool) {
	if n.kind != listNode {
		return r.wrong(n, path, "a list of names")
	}
	if len(n.items) == 0 {
		r.fault(n.spot, msgNoElements, path)
		return nil, false
	}
	var all []string
	clean := true
	for _, i := range n.items {
		s, ok := r.name(i, path)
		if !ok {
			clean = false
			continue
		}
		if slices.Contains(all, s.(string)) {
			r.fault(i.spot, msgTwice, path, s)
			clean = false
			continue
		}
		all = append(all, s.(string))
	}
	return all, clean
}

// nearly is suggest for a fault that lists what is known anyway.
func nearly(s string, known []string) string {
	if n := near(strings.ToLower(s), known); n != "" {
		return fmt.Sprintf(hintNear, n)
	}
	return ""
}
