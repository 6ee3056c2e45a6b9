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

// cStep makes a step in C and C++ whose SDK is named by compile_flags.txt.
func cStep(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir,
		"step/compile_flags.txt", "-I../sdk\n-std=c11\n-std=c++17\n-DANSWER=42\n-Wl,--export=answer\n",
		"step/main.c", "#include <string.h>\n#include \"wasmill.h\"\nint cpp(void);\nint answer(void) { return cpp() + (int)strlen(wasmill_text()); }\n",
		"step/more.cc", "extern \"C\" int cpp() { constexpr auto n = ANSWER; return n; }\n",
		"step/main_test.c", "#error a test is no part of the step\n",
		"step/tests/x.c", "#error nor is this\n",
		"sdk/wasmill.h", "const char *wasmill_text(void);\n",
		"sdk/wasmill.c", "#include \"wasmill.h\"\nconst char *wasmill_text(void) { return \"sdk\"; }\n#ifdef ANSWER\n#error flags of the step are not for the SDK\n#endif\n",
		"sdk/wasmill_native.c", "#error not for WebAssembly\n",
	)
	return filepath.Join(dir, "step")
}

func TestBuild_C(t *testing.T) {
	if testing.Short() {
		t.Skip("runs clang some times")
	}
	dir, builds := cStep(t), 0
	opts := build.Options{CacheDir: filepath.Join(t.TempDir(), "c"), Building: func(string) { builds++ }}
	resolve := func(want int) []byte {
		t.Helper()
		s, err := build.Build(context.Background(), dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		if builds != want || s.Language != "C or C++" || !bytes.HasPrefix(s.Bytes, []byte("\x00asm")) {
			t.Fatalf("%d builds, want %d; %d bytes of %s", builds, want, len(s.Bytes), s.Language)
		}
		return s.Bytes
	}
	first := resolve(1)
	write(t, dir, "README.md", "no source", "out/part-0", "output of a job")
	if again := resolve(1); !bytes.Equal(first, again) {
		t.Error("the cache returned something else")
	}
	write(t, dir, "../sdk/wasmill.h", "const char *wasmill_text(void); /* changed */\n")
	if again := resolve(2); !bytes.Equal(first, again) {
		t.Error("a comment made another module: the build cannot be repeated")
	}
	write(t, dir, "more.cc", "extern \"C\" int cpp() { return 7; }\n")
	resolve(3)
	if strings.Contains(string(first), dir) {
		t.Error("the module names the directory of this machine")
	}
	write(t, dir, "main.c", "#include \"wasmill.h\"\nint answer(void) { return cpq(); }\n")
	_, err := build.Build(context.Background(), dir, opts)
	if err == nil || !strings.Contains(err.Error(), "main.c:2:27: error: ") {
		t.Errorf("a call of what is not declared: %v", err)
	}
}

func TestBuild_CFaults(t *testing.T) {
	opts := build.Options{CacheDir: filepath.Join(t.TempDir(), "c")}
	tool := func(text string) string {
		path := filepath.Join(t.TempDir(), "clang")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n[ $1 = --version ] && echo clang version 17.0.1 && exit\necho \""+text+"\" >&2\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const packages = "apt-get install clang-17 lld-17 wasi-libc libclang-rt-17-dev-wasm32"
	for _, test := range []struct{ name, clang, want string }{
		{"no libc", tool("main.c:1:10: fatal error: 'string.h' file not found"), packages},
		{"no linker", tool(`clang: error: unable to execute command: Executable \"wasm-ld-17\" doesn't exist!`), packages},
		{"no builtins", tool("wasm-ld: error: cannot open /usr/lib/libclang_rt.builtins-wasm32.a: No such file or directory"), packages},
		{"no target", tool("error: unable to create target: 'No available targets are compatible with triple \\\"wasm32-unknown-wasi\\\"'"), packages},
		{"no clang", "/nonexistent/clang", "building it needs clang, which is not in PATH: install clang and the libc of WASI (Debian and Ubuntu: apt-get install clang-14"},
		{"a fault of the user", tool("main.c:4:2: error: use of undeclared identifier 'x'"), "clang in DIR: exit status 1\nmain.c:4:2: error: use of undeclared identifier 'x'"},
		{"a header of the user", tool("main.c:4:2: fatal error: 'mine.h' file not found"), "fatal error: 'mine.h' file not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := cStep(t)
			t.Setenv("CLANG", test.clang)
			_, err := build.Build(context.Background(), dir, opts)
			if want := strings.ReplaceAll(test.want, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
	t.Run("no SDK", func(t *testing.T) {
		dir := cStep(t)
		t.Setenv("CLANG", tool(""))
		write(t, dir, "compile_flags.txt", "-I../gone\n")
		_, err := build.Build(context.Background(), dir, opts)
		if want := "there is no wasmill.h: put the SDK back into .wasmill/sdk"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
}
