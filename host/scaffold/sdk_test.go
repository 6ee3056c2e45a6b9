package scaffold_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/scaffold"
)

var rewrite = flag.Bool("rewrite", false, "write sdk-go.zip anew from sdk-go")

// files returns the contents of the files below dir by slashed path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, p))
		all[p] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWriteSDK_IsTheDirectory(t *testing.T) {
	want := files(t, "../../sdk-go")
	maps.DeleteFunc(want, func(name, _ string) bool {
		return strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/")
	})
	if *rewrite {
		pack(t, want)
		t.Skip("sdk-go.zip is written; run the test again")
	}
	dir := t.TempDir()
	if err := scaffold.WriteSDK(dir); err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s differs: go test ./host/scaffold -rewrite", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is not in sdk-go any more: go test ./host/scaffold -rewrite", name)
	}
}

// pack writes sdk-go.zip: sorted names, one time, so that equal sources give
// equal bytes.
func pack(t *testing.T, all map[string]string) {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(all[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("sdk-go.zip", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
