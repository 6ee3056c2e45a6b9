package build_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build"
)

const (
	cargoToml = "[package]\nname = \"step\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n\n[dependencies]\ndep = { path = \".wasmill/dep\" }\n"
	libRs     = "#[no_mangle]\npub extern \"C\" fn answer() -> i32 {\n    dep::ANSWER\n}\n"
	depRs     = "pub const ANSWER: i32 = include!(\"answer.txt\");\n"
)

func crate(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir,
		"Cargo.toml", cargoToml,
		"src/lib.rs", libRs,
		".wasmill/dep/Cargo.toml", "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		".wasmill/dep/src/lib.rs", depRs,
		".wasmill/dep/src/answer.txt", "42",
	)
	return dir
}

func TestBuild_Rust(t *testing.T) {
	if testing.Short() {
		t.Skip("runs cargo some times")
	}
	dir, builds, reads := crate(t), 0, []string(nil)
	opts := build.Options{
		CacheDir: filepath.Join(t.TempDir(), "c"),
		Building: func(string) { builds++ },
		Reads:    func(dir string) { reads = append(reads, dir) },
	}
	resolve := func(want int) []byte {
		t.Helper()
		s, err := build.Build(context.Background(), dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		if builds != want {
			t.Fatalf("%d builds, want %d", builds, want)
		}
		if s.Language != "Rust" || s.Ext != ".wasm" || !bytes.HasPrefix(s.Bytes, []byte("\x00asm")) {
			t.Fatalf("%d bytes of %s, %s", len(s.Bytes), s.Language, s.Ext)
		}
		return s.Bytes
	}
	first := resolve(1)
	write(t, dir, "out/part-0", "output of a job", "target/x.rs", "no source")
	if again := resolve(1); !bytes.Equal(first, again) {
		t.Error("the cache returned something else")
	}
	write(t, dir, ".wasmill/dep/src/answer.txt", "43")
	if changed := resolve(2); bytes.Equal(first, changed) {
		t.Error("a change of an included file changed nothing")
	}
	t.Setenv("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
	resolve(3)
	if want := filepath.Join(dir, ".wasmill/dep"); len(reads) < 2 || reads[0] != dir || reads[1] != want {
		t.Errorf("it reads %q, want %s and %s", reads, dir, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "target/release")); err == nil {
		t.Error("what cargo made is in the step's directory")
	}
}

func TestBuild_RustFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs cargo some times")
	}
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"a type that does not fit", []string{"src/lib.rs", "pub fn f() -> i32 {\n    \"text\"\n}\n"}, "cargo build in DIR: exit status 101\nerror[E0308]: mismatched types\n --> src/lib.rs:2:5"},
		{"no cdylib", []string{"Cargo.toml", strings.Replace(cargoToml, `"cdylib", `, "", 1)}, "cargo built no module: give Cargo.toml a [lib] with crate-type = [\"cdylib\", \"rlib\"]"},
		{"a program", []string{"Cargo.toml", "[package]\nname = \"step\"\nversion = \"0.1.0\"\n", "src/main.rs", "fn main() {}\n", "src/lib.rs", ""}, "it has no library: a step is in src/lib.rs"},
		{"a dependency is gone", []string{"Cargo.toml", strings.Replace(cargoToml, "/dep", "/gone", 1)}, ".wasmill/gone, which does not exist: put it back"},
		{"another language too", []string{"main.go", mainGo}, "could be a step in *.go with a go.mod (Go) and Cargo.toml (Rust): keep one of them there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := crate(t)
			write(t, dir, test.files...)
			if test.name == "a program" {
				if err := os.Remove(filepath.Join(dir, "src/lib.rs")); err != nil {
					t.Fatal(err)
				}
			}
			_, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "c")})
			if want := strings.ReplaceAll(test.want, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

func TestBuild_RustWithoutTools(t *testing.T) {
	dir, opts := crate(t), build.Options{CacheDir: filepath.Join(t.TempDir(), "c")}
	t.Run("no cargo", func(t *testing.T) {
		t.Setenv("PATH", dir)
		t.Setenv("CARGO", "")
		_, err := build.Build(context.Background(), dir, opts)
		if want := "install Rust from https://rustup.rs, then run rustup target add wasm32-unknown-unknown"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
	t.Run("no target", func(t *testing.T) {
		if testing.Short() {
			t.Skip("runs cargo")
		}
		empty := t.TempDir() // a sysroot without any target
		t.Setenv("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "--sysroot="+empty)
		_, err := build.Build(context.Background(), dir, opts)
		if want := "rustup target add wasm32-unknown-unknown"; err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "E0463") {
			t.Errorf("error %v, want %q and no more", err, want)
		}
	})
}
