package corpus

import "testing"

// TrappingC returns a step in C, built with flags, that traps at a record with
// "!!!" in it: in look, line 7 of look.h, which is inlined into parse, line 21
// of traps.c, which line 28 calls.
func TrappingC(t testing.TB, flags ...string) []byte {
	t.Helper()
	p, clang, ld := toolsOf(t, "clang", "wasm-ld")
	return must(t, p, recipe{
		dir:   p.source("traps/c"),
		tools: []string{clang, ld},
		command: append([]string{
			clang, "--target=wasm32-wasi", "-mexec-model=reactor", "-nostdlib", "-Wl,--no-entry", "-Wall", "-Werror",
			"-fuse-ld=" + ld, "-o", "OUT/guest.wasm", "traps.c",
		}, flags...),
		out: "guest.wasm",
	})
}

// TrappingRust is TrappingC in Rust: line 5 of look.rs, 39 and 49 of traps.rs.
func TrappingRust(t testing.TB, flags ...string) []byte {
	t.Helper()
	p, rustc, ld := toolsOf(t, "rustc", "rust-ld")
	if sysroot := p.tools["rust-sysroot"]; sysroot != "" { // absent with rustup's target
		flags = append(flags, "--sysroot="+sysroot, "-Clinker="+ld)
	}
	return must(t, p, recipe{
		dir:   p.source("traps/rust"),
		tools: []string{rustc},
		command: append([]string{
			rustc, "--target=wasm32-unknown-unknown", "--crate-type=cdylib", "--edition=2021", "-Cpanic=abort",
			"-o", "OUT/guest.wasm", "traps.rs",
		}, flags...),
		out: "guest.wasm",
	})
}

func toolsOf(t testing.TB, first, second string) (p *place, _, _ string) {
	t.Helper()
	p, err := findPlace()
	if err != nil {
		t.Fatalf("corpus: %v", err)
	}
	var paths [2]string
	for i, name := range []string{first, second} {
		if name == "rust-ld" && p.tools["rust-sysroot"] == "" {
			continue
		}
		if paths[i], err = p.tool(name); err != nil {
			t.Fatalf("corpus: %v", err)
		}
	}
	return p, paths[0], paths[1]
}

func must(t testing.TB, p *place, r recipe) []byte {
	t.Helper()
	wasm, err := p.build(r)
	if err != nil {
		t.Fatalf("corpus: %v", err)
	}
	return wasm
}
