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

var rewrite = flag.Bool("rewrite", false, "write the zips of the SDKs anew from their directories")

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

// shipped returns the files of an SDK that go to its users: not what its
// developers test it with, nor what their tools leave there.
func shipped(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			switch base {
			case "tests", "test", "testdata", "fuzz", "target", "node_modules", "dist", "build", "__pycache__":
				return fs.SkipDir
			}
			if p != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(base, ".") || strings.HasSuffix(base, "_test.go") || base == "check.sh" {
			return nil
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

func TestWrite_SDKIsTheDirectory(t *testing.T) {
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			name := lang
			if lang == "assemblyscript" {
				name = "as"
			}
			want := shipped(t, "../../sdk-"+name)
			if *rewrite {
				pack(t, filepath.Join("sdk", name+".zip"), want)
				t.Skip("its zip is written; run the test again")
			}
			dir := filepath.Join(t.TempDir(), "step")
			if _, err := scaffold.Write(dir, scaffold.Options{Lang: lang}); err != nil {
				t.Fatal(err)
			}
			got := files(t, filepath.Join(dir, ".wasmill", "sdk"))
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if got[name] != want[name] {
					t.Errorf("%s differs: go test ./host/scaffold -run SDKIsTheDirectory -rewrite", name)
				}
				delete(got, name)
			}
			for name := range got {
				t.Errorf("%s is not in the SDK any more: go test ./host/scaffold -run SDKIsTheDirectory -rewrite", name)
			}
		})
	}
}

// pack writes a zip: sorted names, one time, so that equal sources give
// equal bytes.
func pack(t *testing.T, file string, all map[string]string) {
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
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
