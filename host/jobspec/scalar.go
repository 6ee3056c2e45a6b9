package jobspec

import (
	"math"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// scalar fills n with the scalar y: its variables replaced, its kind found by
// the rules of YAML 1.2's core schema. So yes, on and 1_000 are strings.
func (c *converter) scalar(n *node, y *yaml.Node) {
	text, replaced := c.r.expand(n, y.Value)
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	n.kind, n.text = stringNode, text
	if replaced {
		n.loose, n.isLoose = text, true
	}
	tagged := y.Style&yaml.TaggedStyle != 0
	asString := y.Style&quoted != 0 && !replaced
	if tagged {
		asString = y.ShortTag() == "!!str"
	}
	if !asString {
		n.kind, n.text = resolve(text)
	}
	if n.kind == numberNode && n.text == "" {
		c.r.fault(n.spot, msgNumber, text)
		n.bad = true
	}
	c.tag(n, y)
}

// tag checks the tag that y was given, if any.
func (c *converter) tag(n *node, y *yaml.Node) {
	if y.Style&yaml.TaggedStyle == 0 {
		return
	}
	tag := y.ShortTag()
	ok, known := false, true
	switch tag {
	case "!!str":
		ok = n.kind == stringNode
	case "!!int":
		ok = n.kind == numberNode && isInteger(n.text)
	case "!!float":
		ok = n.kind == numberNode
	case "!!bool":
		ok = n.kind == boolNode
	case "!!null":
		ok = n.kind == nullNode
	case "!!seq":
		ok = n.kind == listNode
	case "!!map":
		ok = n.kind == mapNode
	default:
		known = false
	}
	switch {
	case !known:
		c.r.fault(n.spot, msgTag, tag)
		n.bad = true
	case !ok && !n.bad:
		c.r.fault(n.spot, msgTagged, n.describe(), tag)
		n.bad = true
	}
}

var (
	jsonNumber  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	yamlNumber  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	yamlSpecial = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	yamlInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	yamlBased   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
)

// resolve returns the kind of a plain scalar and its text in the form of
// JSON, which is empty for a number that has none.
func resolve(s string) (kind, string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nullNode, ""
	case "true", "True", "TRUE":
		return boolNode, "true"
	case "false", "False", "FALSE":
		return boolNode, "false"
	}
	switch {
	case jsonNumber.MatchString(s):
		return numberNode, s
	case yamlSpecial.MatchString(s):
		return numberNode, ""
	case yamlBased.MatchString(s):
		u, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return numberNode, ""
		}
		return numberNode, strconv.FormatUint(u, 10)
	case yamlInteger.MatchString(s):
		return numberNode, plainInteger(s)
	case yamlNumber.MatchString(s):
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return numberNode, ""
		}
		return numberNode, strconv.FormatFloat(f, 'g', -1, 64)
	}
	return stringNode, s
}

// plainInteger strips what YAML allows before an integer and JSON does not.
func plainInteger(s string) string {
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = "-"
		}
		s = s[1:]
	}
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return sign + s
}

func isInteger(number string) bool { return yamlInteger.MatchString(number) }
