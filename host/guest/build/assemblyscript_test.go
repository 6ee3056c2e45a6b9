package build_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build"
)

func asStep(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir,
		"step/asconfig.json", `{"entries": ["assembly/index.ts"], "targets": {"release": {"optimizeLevel": 3}}}`,
		"step/package.json", `{"dependencies": {"sdk": "file:../sdk"}}`,
		"step/assembly/index.ts", "export function answer(): i32 { return 42; }\n",
		"sdk/index.ts", "",
	)
	return filepath.Join(dir, "step")
}

func TestBuild_AssemblyScript(t *testing.T) {
	if testing.Short() {
		t.Skip("runs asc some times")
	}
	dir, builds := asStep(t), 0
	opts := build.Options{CacheDir: filepath.Join(t.TempDir(), "c"), Building: func(string) { builds++ }}
	resolve := func(want int) {
		t.Helper()
		s, err := build.Build(context.Background(), dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		if builds != want || s.Language != "AssemblyScript" || !bytes.HasPrefix(s.Bytes, []byte("\x00asm")) {
			t.Fatalf("%d builds, want %d; %d bytes of %s", builds, want, len(s.Bytes), s.Language)
		}
	}
	resolve(1)
	write(t, dir, "README.md", "no source", "node_modules/x/index.ts", "not hashed file by file")
	resolve(1)
	write(t, dir, "../sdk/index.ts", "// changed\n")
	resolve(2)
	write(t, dir, "node_modules/.package-lock.json", "{}")
	resolve(3)

	write(t, dir, "assembly/index.ts", "export function answer(): i32 { return true; }\nlet x: i32 = \"text\";\n")
	_, err := build.Build(context.Background(), dir, opts)
	if err == nil || !strings.Contains(err.Error(), "asc in "+dir) || !strings.Contains(err.Error(), "in assembly/index.ts(2,14)") {
		t.Errorf("error %v", err)
	}
}

func TestBuild_AssemblyScriptWithoutTools(t *testing.T) {
	dir, opts := asStep(t), build.Options{CacheDir: filepath.Join(t.TempDir(), "c")}
	t.Setenv("WASMILL_ASC", "")
	_, err := build.Build(context.Background(), dir, opts)
	if want := "the compiler of AssemblyScript is not installed: run npm install there"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	t.Setenv("PATH", dir)
	_, err = build.Build(context.Background(), dir, opts)
	if want := "install Node.js 20 or later"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
