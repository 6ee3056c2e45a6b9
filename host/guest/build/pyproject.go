package build

import (
	"fmt"
	"strings"
)

// scanTOML returns the strings and the arrays of strings in a TOML document by
// their dotted names. What else it holds is passed over: of pyproject.toml a
// build needs a few names and lists, and the rest is for other tools.
func scanTOML(text string) (map[string][]string, error) {
	found, table := map[string][]string{}, ""
	s := tomlScanner{rest: text, line: 1}
	for {
		s.blank(true)
		switch {
		case s.rest == "":
			return found, nil
		case s.rest[0] == '[':
			head, _, _ := strings.Cut(s.rest, "\n")
			head, _, _ = strings.Cut(head, "#")
			table = strings.ReplaceAll(strings.Trim(strings.TrimSpace(head), "[] \t\r"), "\"", "")
			s.skipLine()
			continue
		}
		key, _, ok := strings.Cut(s.rest, "=")
		if !ok || strings.Contains(key, "\n") {
			return nil, fmt.Errorf("line %d: there is no = in it", s.line)
		}
		s.rest = s.rest[len(key)+1:]
		s.blank(false)
		values, err := s.value()
		if err != nil {
			return nil, err
		}
		if values != nil {
			found[strings.TrimPrefix(table+"."+strings.Trim(strings.TrimSpace(key), `"'`), ".")] = values
		}
	}
}

// tomlScanner is a place in a document.
type tomlScanner struct {
	rest string
	line int
}

// blank passes over spaces and comments, and over ends of lines if told to.
func (s *tomlScanner) blank(lines bool) {
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '\n' && lines:
			s.line++
		case c == ' ' || c == '\t' || c == '\r':
		case c == '#':
			if i := strings.IndexByte(s.rest, '\n'); i >= 0 {
				s.rest = s.rest[i:]
			} else {
				s.rest = ""
			}
			continue
		default:
			return
		}
		s.rest = s.rest[1:]
	}
}

func (s *tomlScanner) skipLine() {
	_, s.rest, _ = strings.Cut(s.rest, "\n")
	s.line++
}

// value reads a value: a string as one, an array of strings as it is, nil for
// what is neither.
func (s *tomlScanner) value() ([]string, error) {
	if s.rest == "" {
		return nil, fmt.Errorf("line %d: there is no value", s.line)
	}
	switch s.rest[0] {
	case '"', '\'':
		v, err := s.text()
		return []string{v}, err
	case '[':
		return s.array()
	case '{':
		return nil, s.pass('}')
	}
	s.skipLine() // a number, a date or a truth
	return nil, nil
}

// array reads an array. Elements that are no strings make it nil.
func (s *tomlScanner) array() ([]string, error) {
	s.rest = s.rest[1:]
	values, strange := []string{}, false
	for {
		s.blank(true)
		if s.rest == "" {
			return nil, fmt.Errorf("line %d: an array does not end", s.line)
		}
		switch s.rest[0] {
		case ']':
			s.rest = s.rest[1:]
			if strange {
				return nil, nil
			}
			return values, nil
		case ',':
			s.rest = s.rest[1:]
		case '"', '\'':
			v, err := s.text()
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		case '[':
			strange = true
			if _, err := s.array(); err != nil {
				return nil, err
			}
		case '{':
			strange = true
			if err := s.pass('}'); err != nil {
				return nil, err
			}
		default:
			strange = true
			s.rest = strings.TrimLeft(s.rest, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_.:")
			if s.rest != "" && !strings.ContainsRune(" \t\r\n,]#", rune(s.rest[0])) {
				return nil, fmt.Errorf("line %d: %q is no value", s.line, s.rest[:1])
			}
		}
	}
}

// pass passes over an inline table, up to its end.
func (s *tomlScanner) pass(end byte) error {
	s.rest = s.rest[1:]
	for s.rest != "" {
		switch c := s.rest[0]; c {
		case end:
			s.rest = s.rest[1:]
			return nil
		case '{':
			if err := s.pass('}'); err != nil {
				return err
			}
			continue
		case '"', '\'':
			if _, err := s.text(); err != nil {
				return err
			}
			continue
		case '\n':
			s.line++
		}
		s.rest = s.rest[1:]
	}
	return fmt.Errorf("line %d: a table does not end", s.line)
}

// text reads a string: basic or literal, of one line or of many.
func (s *tomlScanner) text() (string, error) {
	quote := s.rest[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.rest, long) {
		quote = long
	}
	body := s.rest[len(quote):]
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		switch {
		case strings.HasPrefix(body[i:], quote):
			s.line += strings.Count(body[:i], "\n")
			s.rest = body[i+len(quote):]
			return b.String(), nil
		case body[i] == '\n' && len(quote) == 1:
			return "", fmt.Errorf("line %d: a string does not end", s.line)
		case body[i] == '\\' && quote[0] == '"' && i+1 < len(body):
			i++
			b.WriteString(unescapeTOML(body[i]))
		default:
			b.WriteByte(body[i])
		}
	}
	return "", fmt.Errorf("line %d: a string does not end", s.line)
}

// unescapeTOML returns what an escape stands for; those by number stay as they
// are, for no name that is read here has them.
func unescapeTOML(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '"', '\\':
		return string(rune(c))
	}
	return "\\" + string(rune(c))
}
