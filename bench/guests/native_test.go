package guests_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// natives are what a language's step is compared with, by name: a command that
// does the case json in a process of its own. The steps in compiled languages
// are the same source; CPython and Node do what a program of theirs would.
var natives = map[string]func(b *testing.B) []string{
	"c":      nativeC,
	"go":     nativeGo,
	"python": func(b *testing.B) []string { return []string{tool(b, "python3"), native("click.py")} },
	"ts":     func(b *testing.B) []string { return []string{tool(b, "node"), native("click.mjs")} },
}

// native returns the path of a file of testdata/native.
func native(name string) string { return filepath.Join("testdata", "native", name) }

// nativeC links the step, the SDK and a host, by the compiler that makes the
// module of it.
func nativeC(b *testing.B) []string {
	out, sdk := filepath.Join(b.TempDir(), "c"), "../../sdk-c"
	step, err := filepath.Glob("../../conformance/guests/c/*.c")
	if err != nil {
		b.Fatal(err)
	}
	args := append([]string{"-O2", "-std=gnu11", "-I" + sdk, "-o", out, native("host.c"), sdk + "/wasmill.c", sdk + "/wasmill_frame.c", sdk + "/wasmill_json.c"}, step...)
	if text, err := exec.CommandContext(b.Context(), tool(b, "clang-14", "clang", "cc"), args...).CombinedOutput(); err != nil {
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
