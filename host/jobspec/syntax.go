package jobspec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxFile is the size of the largest job file, in bytes.
const maxFile = 1 << 20

// parseYAML returns the first document of data, nil if there is none, and the
// line of the second, 0 if there is none.
func parseYAML(data []byte) (doc *yaml.Node, second int, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser's own bugs are not the caller's
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(data))
	var first, next yaml.Node
	if err := d.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, 0, nil
		}
		return nil, 0, err
	}
	switch err := d.Decode(&next); {
	case errors.Is(err, io.EOF):
		return &first, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return &first, next.Line, nil
}

var syntaxLine = regexp.MustCompile(`^(yaml: )?(line \d+: )?`)

// syntaxMessage is a syntax error without the line that the parser names: it
// is often that of the enclosing map.
func syntaxMessage(err error) string {
	return syntaxLine.ReplaceAllString(err.Error(), "")
}

// syntaxPlace finds where a syntax error is, since the parser does not say.
// It stops at the first error, so every beginning of the text that reaches
// behind the place fails in the same way: the shortest such one ends there.
func syntaxPlace(lines []string, what string) Place {
	fails := func(s string) bool {
		_, _, err := parseYAML([]byte(s))
		return err != nil && syntaxMessage(err) == what
	}
	line := sort.Search(len(lines), func(n int) bool {
		return fails(strings.Join(lines[:n+1], "\n"))
	})
	if line == len(lines) {
		return Place{Line: 1, Column: 1}
	}
	before := strings.Join(lines[:line], "\n")
	if line > 0 {
		before += "\n"
	}
	runes := []rune(lines[line])
	column := sort.Search(len(runes), func(n int) bool {
		return fails(before + string(runes[:n+1]))
	})
	return Place{Line: line + 1, Column: min(column+1, len(runes)+1)}
}

// readText returns the document of a job file, nil if it has a fault.
func (r *reader) readText(data []byte) *yaml.Node {
	whole := spot{text: r.file}
	if len(data) > maxFile {
		r.fault(whole, msgTooLarge)
		return nil
	}
	if !utf8.Valid(data) {
		r.fault(spot{r.file, invalidPlace(r.file.lines)}, msgUTF8)
		return nil
	}
	doc, second, err := parseYAML(data)
	if err != nil {
		r.syntaxFault(err)
		return nil
	}
	if second > 0 {
		r.fault(spot{r.file, Place{second, 1}}, msgDocuments)
		return nil
	}
	if doc == nil || isNull(doc.Content[0]) {
		r.fault(whole, msgEmpty)
		return nil
	}
	return doc.Content[0]
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// syntaxFault notes a syntax error at its place; the two most common
// mistakes get a message of their own.
func (r *reader) syntaxFault(err error) {
	what := syntaxMessage(err)
	at := syntaxPlace(r.file.lines, what)
	line := r.file.lines[at.Line-1]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if i := strings.IndexByte(indent, '\t'); i >= 0 {
		r.fault(spot{r.file, Place{at.Line, i + 1}}, msgTab)
		return
	}
	if i := bareVariable.FindStringIndex(line); i != nil && strings.ContainsAny(line[:i[0]], "{[") {
		r.fault(spot{r.file, Place{at.Line, utf8.RuneCountInString(line[:i[1]-1])}}, msgFlowEnv)
		return
	}
	if m := unknownAnchor.FindStringSubmatch(what); m != nil {
		if i := strings.Index(line, "*"+m[1]); i >= 0 {
			at.Column = utf8.RuneCountInString(line[:i]) + 1
		}
	}
	r.fault(spot{r.file, at}, msgSyntax, what)
}

// unknownAnchor is the parser's message about an alias to nothing.
var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// bareVariable is a variable without quotes before it.
var bareVariable = regexp.MustCompile(`[^"'$]\$\{`)

// invalidPlace returns the place of the first character that is not UTF-8.
func invalidPlace(lines []string) Place {
	for i, l := range lines {
		column := 1
		for len(l) > 0 {
			c, size := utf8.DecodeRuneInString(l)
			if c == utf8.RuneError && size == 1 {
				return Place{i + 1, column}
			}
			l = l[size:]
			column++
		}
	}
	return Place{}
}
