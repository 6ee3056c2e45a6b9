package out

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// CheckPointer is the check of a field that holds a JSON Pointer.
func CheckPointer(v any) error {
	p, _ := v.(string)
	if !strings.HasPrefix(p, "/") {
		return errors.New("a JSON Pointer begins with a slash, such as /country")
	}
	for i := strings.IndexByte(p, '~'); i >= 0 && i < len(p); i++ {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return errors.New("in a JSON Pointer a ~ is written ~0, and a / inside of a name ~1")
		}
	}
	return nil
}

// directory returns the directory of the value that pointer finds in value.
func directory(value []byte, pointer string) string {
	raw := json.RawMessage(value)
	for _, step := range strings.Split(pointer[1:], "/") {
		step = unescape.Replace(step)
		switch trimmed := bytes.TrimSpace(raw); {
		case len(trimmed) == 0:
			return missingDir
		case trimmed[0] == '{':
			var members map[string]json.RawMessage
			if json.Unmarshal(trimmed, &members) != nil {
				return missingDir
			}
			raw = members[step]
		case trimmed[0] == '[':
			var items []json.RawMessage
			i, err := strconv.Atoi(step)
			if err != nil || json.Unmarshal(trimmed, &items) != nil || i < 0 || i >= len(items) || strconv.Itoa(i) != step {
				return missingDir
			}
			raw = items[i]
		default:
			return missingDir
		}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n' {
		return missingDir
	}
	return dirOf([]byte(text(raw)))
}
