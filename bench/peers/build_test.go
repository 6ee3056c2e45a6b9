package peers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build"
)

const sdk = "../../sdk-c"

// wasmillStep builds the step as a job does.
func wasmillStep(b *testing.B) []byte {
	b.Helper()
	wasm, _, err := build.Resolve(b.Context(), "guests/wasmill", build.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return wasm
}

// peerStep builds guests/NAME.c into a file, by the compiler and with the flags
// of the step in wasmill.
func peerStep(b *testing.B, name string) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), name+".wasm")
	args := strings.Fields("--target=wasm32-wasi -mexec-model=reactor -O3 -flto -gline-tables-only -mbulk-memory -msign-ext -mnontrapping-fptoint" +
		" -fvisibility=hidden -std=c11 -Wall -Wextra -Werror -Wl,--stack-first -Wl,-z,stack-size=262144 -Wl,--gc-sections")
	args = append(args, "-fuse-ld="+tool(b, "wasm-ld-14", "wasm-ld"), "-I"+sdk, "-o", path,
		filepath.Join("guests", name+".c"), filepath.Join(sdk, "wasmill_json.c"), filepath.Join(sdk, "wasmill_frame.c"))
	if out, err := exec.CommandContext(b.Context(), tool(b, "clang-14", "clang"), args...).CombinedOutput(); err != nil {
		b.Fatalf("clang: %v\n%s", err, out)
	}
	return path
}

// tool finds the first of the programs that is there.
func tool(b *testing.B, names ...string) string {
	b.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	b.Fatalf("none of %q is in PATH: run make toolchains", names)
	return ""
}

func size(b *testing.B, path string) int {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return int(info.Size())
}
