package file_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each outcome in RATIONALE.md names the test that proves it.
func TestRationale_NamesTestsThatExist(t *testing.T) {
	doc, err := os.ReadFile("RATIONALE.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, glob := range []string{"*_test.go", "internal/*/*_test.go", "../../traversal/*_test.go", "../../traversal/*/*_test.go"} {
		names, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(b)
		}
	}
	names := regexp.MustCompile(`Test\w+`).FindAllString(string(doc), -1)
	if len(names) < 20 {
		t.Fatalf("only %d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(sources.String(), "func "+name+"(t ") {
			t.Errorf("there is no %s", name)
		}
	}
}
