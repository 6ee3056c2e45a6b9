package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link   = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	goFile = regexp.MustCompile("`((?:[a-z]+/)*[a-z_]+\\.go)`")
)

// made are directories that hold what is no page of the repository.
var made = []string{"testdata", "out", "node_modules", "target"}

// Every page of the repository links only to what is there, and host/DESIGN.md
// names only files that exist.
func TestPages_NameWhatIsThere(t *testing.T) {
	pages := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(made, d.Name())):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".md"):
			return nil
		}
		pages++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		named := link.FindAllStringSubmatch(string(text), -1)
		if strings.HasSuffix(path, "host/DESIGN.md") {
			named = append(named, goFile.FindAllStringSubmatch(string(text), -1)...)
		}
		for _, m := range named {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 10 {
		t.Errorf("only %d pages were looked at", pages)
	}
}
