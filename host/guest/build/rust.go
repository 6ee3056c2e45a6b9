package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var rust = &language{
	name: "Rust", marks: "Cargo.toml", ext: ".wasm",
	detect:  func(names map[string]bool) bool { return names["Cargo.toml"] },
	prepare: prepareRust,
}

const rustTarget = "wasm32-unknown-unknown"

// rustSources are the files that cargo and rustc read by themselves. A build
// script that writes source, and a macro that includes a file, may read any.
var rustSources = sources{
	is: extensions(".rs", ".toml", ".lock", "rust-toolchain"),
	embeds: func(text []byte) bool {
		for _, mark := range []string{"include_str!", "include_bytes!", "include!", "OUT_DIR"} {
			if bytes.Contains(text, []byte(mark)) {
				return true
			}
		}
		return false
	},
}

// prepareRust builds a package whose library is a cdylib, by the user's cargo
// with the user's settings. What decides is the source of the package and of
// those that it depends on by path, the lock file, the toolchain, and what the
// environment and cargo's configuration say.
func prepareRust(ctx context.Context, p *project) (builder, error) {
	cargo, rustc := findTool("CARGO", "cargo"), findTool("RUSTC", "rustc")
	if cargo == "" || rustc == "" {
		return nil, fmt.Errorf("build: %s: building it needs cargo and rustc, which are not in PATH: install Rust from https://rustup.rs, then run rustup target add %s; or name a .wasm file", p.dir, rustTarget)
	}
	version, err := command{"rustc", p.dir, []string{rustc, "-vV"}, nil}.output(ctx)
	if err != nil {
		return nil, err
	}
	p.note(cargo, string(version))
	p.noteEnv("CARGO", "RUST")
	crates, err := findCrates(p.dir)
	if err != nil {
		return nil, err
	}
	if !crates.locked {
		// Cargo would write it in the middle of the build, and the next one
		// would have another key.
		lock := command{"cargo generate-lockfile", p.dir, []string{cargo, "generate-lockfile", "--quiet"}, nil}
		if err := lock.run(ctx); err != nil {
			return nil, err
		}
	}
	for _, file := range crates.files {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("build: %w", err)
		}
		p.note(file, string(text))
	}
	for _, dir := range crates.dirs {
		if err := p.tree(dir, rustSources); err != nil {
			return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
		}
	}
	return func(ctx context.Context, out string) error { return runCargo(ctx, p, cargo, out) }, nil
}

func runCargo(ctx context.Context, p *project, cargo, out string) error {
	work, err := p.work()
	if err != nil {
		return err
	}
	said, err := command{"cargo build", p.dir, []string{
		cargo, "build", "--quiet", "--release", "--lib", "--target=" + rustTarget,
		"--message-format=json-render-diagnostics", "--target-dir=" + work,
	}, nil}.output(ctx)
	if err != nil {
		return rustAdvice(p.dir, err)
	}
	made := cdylib(p.dir, said)
	if made == "" {
		return fmt.Errorf("build: %s: cargo built no module: give Cargo.toml a [lib] with crate-type = [\"cdylib\", \"rlib\"]", p.dir)
	}
	wasm, err := os.ReadFile(made)
	if err != nil {
		return fmt.Errorf("build: reading what cargo built: %w", err)
	}
	return os.WriteFile(out, wasm, 0o600)
}

// cdylib returns the module of the package in dir, from what cargo says of
// each thing that it made, a JSON document a line.
func cdylib(dir string, said []byte) string {
	manifest := filepath.Join(dir, "Cargo.toml")
	if real, err := filepath.EvalSymlinks(manifest); err == nil {
		manifest = real
	}
	for line := range bytes.Lines(said) {
		var artifact struct {
			Reason   string   `json:"reason"`
			Manifest string   `json:"manifest_path"`
			Files    []string `json:"filenames"`
		}
		if json.Unmarshal(line, &artifact) != nil || artifact.Reason != "compiler-artifact" {
			continue
		}
		if real, err := filepath.EvalSymlinks(artifact.Manifest); err != nil || real != manifest {
			continue
		}
		if i := slices.IndexFunc(artifact.Files, func(f string) bool { return filepath.Ext(f) == ".wasm" }); i >= 0 {
			return artifact.Files[i]
		}
	}
	return ""
}

// rustAdvice says what to do where the compiler's own words do not.
func rustAdvice(dir string, err error) error {
	text := printed(err)
	switch {
	case strings.Contains(text, "target may not be installed"):
		if _, missing := exec.LookPath("rustup"); missing != nil {
			return fmt.Errorf("build: %s: this Rust has no standard library for WebAssembly: install Rust from https://rustup.rs, then run rustup target add %s", dir, rustTarget)
		}
		return fmt.Errorf("build: %s: Rust's standard library for WebAssembly is missing: run rustup target add %s", dir, rustTarget)
	case strings.Contains(text, "linker `rust-lld` not found"):
		return fmt.Errorf("build: %s: this Rust has no rust-lld: install Rust from https://rustup.rs, or lld (Debian: lld) and set CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld", dir)
	case strings.Contains(text, "no library targets found"):
		return fmt.Errorf("build: %s: it has no library: a step is in src/lib.rs, and Cargo.toml has a [lib] with crate-type = [\"cdylib\", \"rlib\"]", dir)
	}
	return err
}
