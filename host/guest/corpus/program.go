package corpus

import "testing"

// Program returns a program of C that speaks over standard input and output.
func Program(t testing.TB) []byte {
	t.Helper()
	return built(t, "program", func(p *place) ([]byte, error) {
		clang, err := p.tool("clang")
		if err != nil {
			return nil, err
		}
		ld, err := p.tool("wasm-ld")
		if err != nil {
			return nil, err
		}
		return p.build(recipe{
			dir:     p.source("program"),
			tools:   []string{clang, ld},
			command: []string{clang, "--target=wasm32-wasi", "-O2", "-Wall", "-Wextra", "-Werror", "-fuse-ld=" + ld, "-o", "OUT/program.wasm", "program.c"},
			out:     "program.wasm",
		})
	})
}

// Python returns CPython.
func Python(t testing.TB) []byte {
	t.Helper()
	return Get(t, "cpython").Wasm(t)
}
