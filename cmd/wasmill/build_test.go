package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuild_WritesOneFile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a step with Go for WebAssembly")
	}
	t.Parallel()
	dir := t.TempDir()
	wasmill(t, dir, "new", "go", "My Step").has(t, 0)

	r := wasmill(t, dir, "build", "My Step", "--output", "json")
	r.has(t, 0, "building My Step (once, some seconds)…\n")
	var got struct {
		File, Digest, Language, ABI string
		Bytes                       int
		Runs                        bool
		Seconds                     float64
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(filepath.Join(dir, "my-step.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if got.File != "my-step.wasm" || got.Language != "Go" || got.Bytes != len(wasm) || !got.Runs || got.Seconds <= 0 || got.ABI != "1" {
		t.Errorf("it says %+v of %d bytes", got, len(wasm))
	}

	r = wasmill(t, filepath.Join(dir, "My Step"), "build", "-o", "../other.wasm")
	r.has(t, 0, "built       ../other.wasm, ", "digest      "+got.Digest+"\n", "language    Go\n", " to build, ")
	if again, err := os.ReadFile(filepath.Join(dir, "other.wasm")); err != nil || string(again) != string(wasm) {
		t.Errorf("the second file differs, error %v", err)
	}
	wasmill(t, dir, "inspect", "other.wasm").has(t, 0)
}

func TestBuild_Refuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "guest.wasm", "a file")
	write(t, dir, "empty/README.md", "no source")
	write(t, dir, "broken/go.mod", "module broken\n\ngo 1.24\n")
	write(t, dir, "broken/main.go", "package main\n\nfunc main() { undefined() }\n")
	for _, test := range []struct{ args, want string }{
		{"build none", "wasmill: build: none does not exist"},
		{"build guest.wasm", "wasmill: guest.wasm is a file: name the directory of a step"},
		{"build empty", "empty holds no source that this build knows"},
		{"build broken", "./main.go:3:15: undefined: undefined"},
		{"build a b", `wasmill: "b" is one argument too many: write wasmill build [DIR] [flags] with one DIR at most`},
	} {
		t.Run(test.args, func(t *testing.T) {
			wasmill(t, dir, strings.Fields(test.args)...).has(t, 2, test.want)
		})
	}
}

// A module that would not run is not written: it has no exports.
func TestBuild_WritesNothingThatWouldNotRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a step with Go for WebAssembly")
	}
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module bare\n\ngo 1.24\n")
	write(t, dir, "main.go", "package main\n\nfunc main() {}\n")
	r := wasmill(t, dir, "build", "-o", "x.wasm")
	r.has(t, 1, "verdict     would be refused, so no file was written:\n")
	if _, err := os.Stat(filepath.Join(dir, "x.wasm")); err == nil {
		t.Error("it was written")
	}
	wasmill(t, dir, "build", "-o", "x.wasmill").has(t, 1)
}
