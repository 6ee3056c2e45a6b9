package file_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

// goroot returns where the Go distribution is that runs the test.
func goroot(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("go env GOROOT: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// A real tree, against the simplest reading of it.
func TestWalk_EqualsAPlainReadingOfRealSources(t *testing.T) {
	root := filepath.Join(goroot(t), "src", "encoding")
	want := map[string]int{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for line := range bytes.Lines(b) {
			want[string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))]++
		}
		return err
	})
	if err != nil || len(want) < 1000 {
		t.Skipf("no sources under %s: %v", root, err)
	}
	kind, _ := registry(nil).FindSource("walk")
	src, err := kind.New(plugins.Env{}, defaults(kind.Fields, plugins.Config{"root": root, "compression": "none", "split": int64(4096)}))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := plugintest.ReadAll(t, src)
	for _, line := range got {
		want[line]--
	}
	for line, n := range want {
		if n != 0 {
			t.Errorf("%d too few of %.100q", n, line)
		}
	}
}
