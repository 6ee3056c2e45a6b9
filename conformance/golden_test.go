package conformance_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/scaffold"
)

// Steps that were built with any version of an SDK run on this host. If this
// fails for a version that was released, the host is at fault, whatever it
// takes: a golden module is never built again, because those of users are not
// either.
func TestGolden_StepsOfEveryVersionRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every module once more")
	}
	all := cases(t)
	for _, language := range selected() {
		t.Run(language, func(t *testing.T) {
			if *rewriteGolden {
				writeGolden(t, language)
			}
			files, err := filepath.Glob(filepath.Join("golden", language+"-*.gz"))
			if err != nil {
				t.Fatal(err)
			}
			current := language + "-" + scaffold.SDKVersion + "."
			found := false
			for _, file := range files {
				found = found || strings.HasPrefix(filepath.Base(file), current)
				t.Run(filepath.Base(file), func(t *testing.T) {
					m := compiled(t, file, readGolden(t, file))
					for _, c := range all {
						t.Run(c.name, func(t *testing.T) { c.run(t, "golden", m) })
					}
				})
			}
			if !found {
				t.Errorf("golden has no module of %s: run this test with -sdk %s -rewrite-golden", current, language)
			}
		})
	}
}

// A golden module is what its name says: a file of a language and a version.
func TestGolden_NoStrangers(t *testing.T) {
	entries, err := os.ReadDir("golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".gz")
		language, _, _ := strings.Cut(name, "-")
		ext := filepath.Ext(name)
		if e.Name() != "README.md" && (name == e.Name() || !slices.Contains(languages, language) || ext != ".wasm" && ext != archive.Ext) {
			t.Errorf("golden/%s is not LANG-VERSION.wasm.gz or .wasmill.gz", e.Name())
		}
	}
}

// writeGolden builds the module of the version at work.
func writeGolden(t *testing.T, language string) {
	t.Helper()
	step := built(t, language)
	file := filepath.Join("golden", language+"-"+scaffold.SDKVersion+step.Ext+".gz")
	if old, err := os.ReadFile(file); err == nil {
		if guest.Digest(unzipped(t, file, old)) == step.Digest {
			return
		}
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(step.Bytes); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readGolden(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return unzipped(t, file, b)
}

func unzipped(t *testing.T, file string, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return plain
}
