package guests_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// natives are what a language's step is compared with, by name: a command that
// does the case json in a process of its own. The steps in compiled languages
// are the same source; CPython and Node do what a program of theirs would.
var natives = map[string]func(b *testing.B) []string{
	"c":      nativeC,
	"go":     nativeGo,
	"rust":   nativeRust,
	"python": func(b *testing.B) []string { return []string{tool(b, "python3"), native("click.py")} },
	"ts":     func(b *testing.B) []string { return []string{tool(b, "node"), native("click.mjs")} },
}

// native returns the path of a file of testdata/native.
func native(name string) string { return filepath.Join("testdata", "native", name) }

// nativeC links the step, the SDK and a host, by the compiler and with the
// optimisations that make the module of it.
func nativeC(b *testing.B) []string {
	out, sdk := filepath.Join(b.TempDir(), "c"), "../../sdk-c"
	step, err := filepath.Glob("../../conformance/guests/c/*.c")
	if err != nil {
		b.Fatal(err)
	}
	args := append([]string{"-O3", "-flto", "-fuse-ld=lld", "-std=gnu11", "-I" + sdk, "-o", out, native("host.c"), sdk + "/wasmill.c", sdk + "/wasmill_frame.c", sdk + "/wasmill_json.c"}, step...)
	if text, err := exec.CommandContext(b.Context(), tool(b, "clang-14", "clang"), args...).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return []string{out}
}

// nativeGo builds the step with a host laid over it.
func nativeGo(b *testing.B) []string {
	dir := b.TempDir()
	place := map[string]string{}
	for at, of := range map[string]string{
		"../../conformance/guests/go/child_test.go": native("child_test.go"),
		"../../sdk-go/benchhost/benchhost.go":       native("benchhost/benchhost.go"),
	} {
		place[absolute(b, at)] = absolute(b, of)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": place})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), tool(b, "go"), "test", "-c", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-o", filepath.Join(dir, "child"), ".")
	cmd.Dir = "../../conformance/guests/go"
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return []string{filepath.Join(dir, "child")}
}

// nativeRust copies the step and the SDK, adds to each the part that makes a
// process of them, and builds it with the profile of the step.
func nativeRust(b *testing.B) []string {
	root := b.TempDir()
	for _, dir := range []string{"sdk-rust", "conformance/guests/rust"} {
		if err := os.CopyFS(filepath.Join(root, dir), source{os.DirFS(filepath.Join("../..", dir))}); err != nil {
			b.Fatal(err)
		}
	}
	step, sdk := filepath.Join(root, "conformance/guests/rust/src"), filepath.Join(root, "sdk-rust/wasmill/src")
	for _, add := range []struct{ file, of, text string }{
		{filepath.Join(sdk, "bench.rs"), "bench.rs", ""},
		{filepath.Join(sdk, "lib.rs"), "", "\npub mod bench;\n"},
		{filepath.Join(step, "child.rs"), "child.rs", ""},
		{filepath.Join(step, "lib.rs"), "", "\npub mod child;\n"},
		{filepath.Join(step, "bin/child.rs"), "", "fn main() {\n    conform::child::main();\n}\n"},
	} {
		appendTo(b, add.file, add.of, add.text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	target := filepath.Join(cache, "wasmill", "bench", "rust") // what the crates depend on is built once
	cmd := exec.CommandContext(b.Context(), cmp.Or(os.Getenv("CARGO"), "cargo"), "build", "--quiet", "--release", "--bin=child", "--target-dir="+target)
	cmd.Dir = filepath.Dir(step)
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return []string{filepath.Join(target, "release", "child")}
}

// appendTo appends a file of testdata/native, or text, to a file.
func appendTo(b *testing.B, file, of, text string) {
	b.Helper()
	if of != "" {
		t, err := os.ReadFile(native(of))
		if err != nil {
			b.Fatal(err)
		}
		text = string(t)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// source is a directory of a crate without what cargo made there.
type source struct{ fs.FS }

func (s source) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return e.IsDir() && e.Name() == "target" }), err
}

func absolute(b *testing.B, path string) string {
	b.Helper()
	at, err := filepath.Abs(path)
	if err != nil {
		b.Fatal(err)
	}
	return at
}

// tool finds the first of the programs that is there.
func tool(b *testing.B, names ...string) string {
	b.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	b.Fatalf("none of %q is in PATH", names)
	return ""
}
