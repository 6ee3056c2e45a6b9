package out

import (
	"errors"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins"
)

// CheckPointer is the check of a field that holds a JSON Pointer.
func CheckPointer(v any) error {
	p, _ := v.(string)
	if !strings.HasPrefix(p, "/") {
		return errors.New("a JSON Pointer begins with a slash, such as /country")
	}
	if !plugins.IsPointer(p) {
		return errors.New("in a JSON Pointer a ~ is written ~0, and a / inside of a name ~1")
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
