package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ldVariable names the linker, where clang does not find one.
const ldVariable = "WASMILL_WASM_LD"

// run compiles each file and links what comes out.
func (b *cBuild) run(ctx context.Context, out string) error {
	var objects []string
	compile := func(file string, flags ...string) error {
		object := filepath.Join(filepath.Dir(out), strconv.Itoa(len(objects))+".o")
		objects = append(objects, object)
		args := append([]string{b.tool}, ccFlags...)
		args = append(args, "-ffile-prefix-map="+b.dir+"=.")
		return b.command(ctx, append(append(args, flags...), "-c", file, "-o", object))
	}
	for _, file := range b.parts {
		if err := compile(file, sdkFlags...); err != nil {
			return err
		}
	}
	anyCxx := false
	for _, file := range b.step {
		flags := b.c
		if slices.Contains(cxxExts, filepath.Ext(file)) {
			anyCxx = true
			flags = append(slices.Clone(cxxFlags), b.cxx...)
		}
		if err := compile(file, flags...); err != nil {
			return err
		}
	}
	args := append(append([]string{b.tool}, ldFlags...), objects...)
	if ld := os.Getenv(ldVariable); ld != "" {
		args = append(args, "-fuse-ld="+ld)
	}
	args = append(args, b.link...)
	if anyCxx && b.hasLibrary(ctx, "libc++.a") {
		args = append(args, "-lc++", "-lc++abi")
	}
	return b.command(ctx, append(args, "-o", out))
}

func (b *cBuild) command(ctx context.Context, args []string) error {
	return b.advice(command{"clang", b.dir, args, nil}.run(ctx))
}

// hasLibrary reports whether clang finds a library for the target.
func (b *cBuild) hasLibrary(ctx context.Context, name string) bool {
	path, err := command{"clang", b.dir, []string{b.tool, "--target=wasm32-wasi", "-print-file-name=" + name}, nil}.output(ctx)
	return err == nil && filepath.IsAbs(strings.TrimSpace(string(path))) && exists(strings.TrimSpace(string(path)))
}

// lacks are the words of clang that say that a part of it is not installed.
var lacks = regexp.MustCompile(`(?i)wasm-ld\S*" doesn't exist|unable to find library -l(c|m|clang_rt\S*)\b|cannot open \S*(crt1|libclang_rt)|fatal error: '(std|string|math|errno|assert|ctype|time|wasi|bits|__)\S*\.h' file not found|fatal error: '(cstd\w+|string|vector|map|array|string_view|utility|memory|algorithm)' file not found|no available targets are compatible|unknown target triple`)

// advice says what to install where clang's own words do not.
func (b *cBuild) advice(err error) error {
	word := lacks.FindString(printed(err))
	if word == "" {
		return err
	}
	return fmt.Errorf("build: %s: %s lacks a part that it needs for WebAssembly (%s): install %s", b.dir, b.tool, strings.TrimSpace(word), wasiPackages(b.version))
}

var major = regexp.MustCompile(`version (\d+)`)

// wasiPackages names what to install, for the clang that said the version.
func wasiPackages(version string) string {
	n := "14"
	if m := major.FindStringSubmatch(version); m != nil {
		n = m[1]
	}
	return fmt.Sprintf("clang and the libc of WASI (Debian and Ubuntu: apt-get install clang-%[1]s lld-%[1]s wasi-libc libclang-rt-%[1]s-dev-wasm32, for C++ also libc++-%[1]s-dev-wasm32; elsewhere the WASI SDK, and set WASI_SDK_PATH to it)", n)
}

// findClang returns the path of clang: the one of the WASI SDK, what CLANG
// names, CC if that is a clang, or the newest in PATH.
func findClang() string {
	if sdk := os.Getenv("WASI_SDK_PATH"); sdk != "" {
		if path, err := exec.LookPath(filepath.Join(sdk, "bin", "clang")); err == nil {
			return path
		}
	}
	if cc := os.Getenv("CC"); os.Getenv("CLANG") == "" && strings.HasPrefix(filepath.Base(cc), "clang") {
		return findTool("CC")
	}
	names := []string{"clang"}
	for n := 22; n >= 14; n-- {
		names = append(names, "clang-"+strconv.Itoa(n))
	}
	return findTool("CLANG", names...)
}
