package record

import (
	"errors"
	"fmt"
	"strings"
)

// Pointer returns the key that a JSON Pointer (RFC 6901) finds in a value: a
// string's UTF-8 bytes, unescaped; a number, true or false as written.
// Missing, null, an object or an array is an error. What stands behind the
// place that is found is not looked at, and the first of equal names counts.
// path is "" or begins with a slash. The result may be a view of value.
func Pointer(value []byte, path string) ([]byte, error) {
	j := scanner{b: value}
	if path != "" {
		for name := range strings.SplitSeq(path[1:], "/") {
			if strings.IndexByte(name, '~') >= 0 {
				name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			}
			if err := j.enter(name); err != nil {
				return nil, pointerError(path, err)
			}
		}
	}
	key, err := j.scalar()
	if err != nil {
		return nil, pointerError(path, err)
	}
	return key, nil
}

func pointerError(path string, err error) error {
	if path == "" {
		path = "(the whole value)"
	}
	return fmt.Errorf("key %s: %w", path, err)
}

var (
	errSyntax  = errors.New("the value is not JSON")
	errMissing = errors.New("not in the value")
)
