package plugins_test

import (
	"testing"

	"github.com/wasmill/wasmill/plugins"
)

func TestIsPointer(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "/": true, "/a": true, "/a//b": true, "/~0~1": true, "/a~01": true,
		"a": false, "a/b": false, "~": false, "/~": false, "/a~": false, "/~2": false, "/~~0": false, "/~0~": false,
	} {
		if got := plugins.IsPointer(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}
