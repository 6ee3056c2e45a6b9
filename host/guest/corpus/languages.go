package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The makers of guests. Optimised as people do it; the names of functions stay
// in all, line tables where the compiler writes them.

func makeC(p *place) ([]byte, error) {
	clang, err := p.tool("clang")
	if err != nil {
		return nil, err
	}
	ld, err := p.tool("wasm-ld")
	if err != nil {
		return nil, err
	}
	return p.build(recipe{
		dir:   p.source("c"),
		tools: []string{clang, ld},
		command: []string{
			clang, "--target=wasm32-wasi", "-mexec-model=reactor", "-O2", "-Wall", "-Wextra", "-Werror",
			"-gline-tables-only", "-fdebug-compilation-dir=.", "-fuse-ld=" + ld,
			"-o", "OUT/guest.wasm", "guest.c", "json.c", "work.c",
		},
		out: "guest.wasm",
	})
}

func makeRust(p *place) ([]byte, error) {
	cargo, err := p.tool("cargo")
	if err != nil {
		return nil, err
	}
	rustc, err := p.tool("rustc")
	if err != nil {
		return nil, err
	}
	dir := p.source("rust")
	flags := []string{"--remap-path-prefix=" + dir + "=."}
	if sysroot := p.tools["rust-sysroot"]; sysroot != "" { // absent with rustup's target
		ld, err := p.tool("rust-ld")
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--sysroot="+sysroot, "-Clinker="+ld)
	}
	return p.build(recipe{
		dir:   dir,
		tools: []string{rustc},
		command: []string{
			cargo, "build", "--quiet", "--release", "--locked", "--target=wasm32-unknown-unknown", "--target-dir=OUT",
		},
		env: []string{"RUSTC=" + rustc, "CARGO_ENCODED_RUSTFLAGS=" + strings.Join(flags, "\x1f")},
		out: "wasm32-unknown-unknown/release/corpus.wasm",
	})
}

func makeAssemblyScript(p *place) ([]byte, error) {
	node, err := p.tool("node")
	if err != nil {
		return nil, err
	}
	asc, err := p.tool("asc")
	if err != nil {
		return nil, err
	}
	return p.build(recipe{
		dir:     p.source("as"),
		tools:   []string{asc},
		command: []string{node, asc, "guest.ts", "-O3", "--debug", "--use", "abort=", "-o", "OUT/guest.wasm"},
		out:     "guest.wasm",
	})
}

func makeGo(p *place) ([]byte, error) {
	return goModule(p, filepath.Join("host", "guest", "corpus", "testdata", "go"))
}

// goModule builds the package in dir, a path in the repository, as package
// host/guest/build does, which is not used here so that its tests, too, can
// use the corpus.
func goModule(p *place, dir string) ([]byte, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	return p.build(recipe{
		dir:     filepath.Join(p.root, dir),
		also:    []string{filepath.Join(p.root, "sdk-go")},
		tools:   []string{tool},
		command: []string{tool, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", "OUT/guest.wasm", "."},
		env:     []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOEXPERIMENT=", "GOWASM="},
		out:     "guest.wasm",
	})
}

// stock returns the maker of a module that the toolchains have as it is.
func stock(tool string) func(*place) ([]byte, error) {
	return func(p *place) ([]byte, error) {
		path, err := p.tool(tool)
		if err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}
}
