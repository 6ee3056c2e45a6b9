package out

import (
	"errors"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
)

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
	key, err := record.Pointer(value, pointer)
	if err != nil {
		return missingDir
	}
	return dirOf(key)
}
