package build_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

const mainGo = `package main

import "dep"

//go:wasmexport answer
func answer() int32 { return dep.Answer }

func main() {}
`

// write makes files below dir from pairs of name and text.
func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// project makes a step with a local replacement in a hidden directory.
func project(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir,
		"go.mod", "module step\n\ngo 1.24\n\nrequire dep v0.0.0\n\nreplace dep => ./.wasmill/dep // local\n",
		"main.go", mainGo,
		".wasmill/dep/go.mod", "module dep\n\ngo 1.24\n",
		".wasmill/dep/dep.go", "package dep\n\nconst Answer = 42\n",
	)
	return dir
}

func TestResolve_BuildsOnceForOneContent(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	dir, builds := project(t), 0
	opts := build.Options{CacheDir: filepath.Join(t.TempDir(), "c"), Building: func(string) { builds++ }}
	resolve := func(path string, want int) []byte {
		t.Helper()
		wasm, digest, err := build.Resolve(context.Background(), path, opts)
		if err != nil {
			t.Fatal(err)
		}
		if builds != want {
			t.Fatalf("%d builds, want %d", builds, want)
		}
		if !bytes.HasPrefix(wasm, []byte("\x00asm")) || digest != guest.Digest(wasm) {
			t.Fatalf("digest %s of %d bytes", digest, len(wasm))
		}
		return wasm
	}
	t.Setenv("GOFLAGS", "-tags=surprise -mod=vendor")
	t.Setenv("GOOS", "linux")
	first := resolve(dir, 1)
	if again := resolve(dir, 1); !bytes.Equal(first, again) {
		t.Fatal("the cache returned something else")
	}
	killed, now := filepath.Join(opts.CacheDir, "build-1"), time.Now()
	write(t, killed, "step.wasm", "half")
	if err := os.Chtimes(killed, now, now.Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "README", "text", ".git/x.go", "no source")
	resolve(dir, 1)
	write(t, dir, ".wasmill/dep/dep.go", "package dep\n\nconst Answer = 43\n")
	if changed := resolve(dir, 2); bytes.Equal(first, changed) {
		t.Fatal("a change of a replacement changed nothing")
	}
	write(t, dir, "sub/main.go", mainGo)
	resolve(filepath.Join(dir, "sub"), 3)

	write(t, dir, "embed.go", "package main\n\nimport _ \"embed\"\n\n//go:embed README\nvar text string\n")
	resolve(dir, 4)
	write(t, dir, "README", "text!")
	resolve(dir, 5)

	entries, err := os.ReadDir(opts.CacheDir)
	if err != nil || len(entries) != 5 {
		t.Fatalf("the cache has %d entries, want 5: %v", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("mode %v, error %v", info.Mode(), err)
		}
	}
	file := filepath.Join(t.TempDir(), "step.wasm")
	if err := os.WriteFile(file, first, 0o644); err != nil {
		t.Fatal(err)
	}
	if read := resolve(file, 5); !bytes.Equal(read, first) {
		t.Fatal("a file was read as something else")
	}
}

func TestResolve_Faults(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "empty/README", "", "loose/main.go", mainGo, "a.txt", "",
		"bare/go.mod", "module bare\n\ngo 1.26\n\nreplace sdk => ./.wasmill/sdk\n", "bare/main.go", mainGo,
		"broken/go.mod", "module broken\n\ngo 1.24\n", "broken/main.go", "package main\n\nfunc main() { undefined() }\n")
	for _, test := range []struct{ path, want string }{
		{"none", "does not exist: name a directory with source, or a .wasm or .wasmill file"},
		{"empty", "empty holds no source that this build knows: it looks for *.go with a go.mod (Go)"},
		{"loose", "has Go source but no go.mod: run go mod init there"},
		{"a.txt", "is neither a directory with source nor a .wasm or .wasmill file"},
		{"bare", "bare/.wasmill/sdk, which does not exist: put it back"},
		{"broken", "broken: exit status 1\n# broken\n./main.go:3:15: undefined: undefined"},
	} {
		t.Run(test.path, func(t *testing.T) {
			_, _, err := build.Resolve(context.Background(), filepath.Join(dir, test.path), build.Options{CacheDir: filepath.Join(dir, "cache")})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
	if left, err := os.ReadDir(filepath.Join(dir, "cache")); err != nil || len(left) != 0 {
		t.Fatalf("a build that failed left %v behind, error %v", left, err)
	}
	t.Setenv("PATH", dir)
	_, _, err := build.Resolve(context.Background(), filepath.Join(dir, "broken"), build.Options{CacheDir: filepath.Join(dir, "cache")})
	if err == nil || !strings.Contains(err.Error(), "install Go 1.26 or later") {
		t.Fatalf("error without a go command: %v", err)
	}
}

// What was built while the source changed is not kept for the source as it was,
// and what is spoilt is built anew.
func TestBuild_KeepsNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("runs clang some times")
	}
	dir := cStep(t)
	file := filepath.Join(dir, "more.cc")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	builds := 0
	opts := build.Options{CacheDir: filepath.Join(t.TempDir(), "c"), Building: func(string) {
		if builds++; builds == 1 {
			write(t, dir, "more.cc", "extern \"C\" int cpp() { return 7; }\n")
		}
	}}
	resolve := func() []byte {
		t.Helper()
		s, err := build.Build(context.Background(), dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		return s.Bytes
	}
	changed := resolve()
	write(t, dir, "more.cc", string(before))
	if bytes.Equal(resolve(), changed) || builds != 2 {
		t.Errorf("after %d builds, the source as it was gives what was built of the changed one", builds)
	}
	kept := resolve()
	if builds != 2 {
		t.Errorf("%d builds: the second is not kept", builds)
	}

	files, err := filepath.Glob(filepath.Join(opts.CacheDir, "*.wasm"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache has %q, error %v", files, err)
	}
	for _, size := range []int64{0, 40} {
		if err := os.Truncate(files[0], size); err != nil {
			t.Fatal(err)
		}
		if again := resolve(); !bytes.Equal(again, kept) {
			t.Errorf("a file cut to %d bytes gave %d of %d", size, len(again), len(kept))
		}
	}
	if builds != 4 {
		t.Errorf("%d builds, want one for each file that was spoilt", builds)
	}
}

// What editors leave beside source, and what is no file at all, is in no
// build's way.
func TestBuild_PassesOverWhatIsNoFile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs compilers")
	}
	for ext, dir := range map[string]string{"go": project(t), "c": cStep(t), "py": pythonStep(t)} {
		if err := os.Symlink("user@host.1:2", filepath.Join(dir, ".#main."+ext)); err != nil {
			t.Fatal(err)
		}
		if _, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "c")}); err != nil {
			t.Errorf("%s: %v", ext, err)
		}
	}
}
