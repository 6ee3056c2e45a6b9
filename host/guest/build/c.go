package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var clang = &language{
	name: "C or C++", marks: "*.c, *.cc, *.cpp or *.cxx", ext: ".wasm",
	detect:  detectC,
	prepare: prepareC,
}

// detectC leaves packages of other languages alone that have parts in C.
func detectC(names map[string]bool) bool {
	for _, other := range []string{"go.mod", "Cargo.toml", "package.json", "pyproject.toml"} {
		if names[other] {
			return false
		}
	}
	return hasExt(names, cExts...)
}

// cFlags is the file with the flags of a project, one a line, which editors
// read too.
const cFlags = "compile_flags.txt"

var (
	cxxExts = []string{".cc", ".cpp", ".cxx"}
	cExts   = append([]string{".c"}, cxxExts...)
)

var cSources = sources{
	is:     extensions(append([]string{".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", cFlags}, cExts...)...),
	embeds: func(text []byte) bool { return strings.Contains(string(text), "#embed") },
}

// Flags of every build: optimised, with the lines that traps name, a reactor
// whose stack cannot grow into its data. Each clang takes a call of what is not
// declared for a fault, as clang 16 began to, so that it has a line.
var (
	ccFlags = []string{"--target=wasm32-wasi", "-O3", "-flto", "-gline-tables-only", "-fdebug-compilation-dir=.",
		"-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint", "-fvisibility=hidden", "-Werror=implicit-function-declaration"}
	sdkFlags = []string{"-std=c11"}
	cxxFlags = []string{"-fno-exceptions", "-fno-rtti"}
	ldFlags  = []string{"--target=wasm32-wasi", "-mexec-model=reactor", "-Wl,--stack-first", "-Wl,-z,stack-size=262144"}
)

// prepareC builds the files of C and C++ in the directory, and those of the
// SDK: of the directory of -I that has wasmill.h.
func prepareC(ctx context.Context, p *project) (builder, error) {
	b := &cBuild{dir: p.dir, tool: findClang()}
	if b.tool == "" {
		return nil, fmt.Errorf("build: %s: building it needs clang, which is not in PATH: install %s, or name a .wasm file", p.dir, wasiPackages(""))
	}
	version, err := command{"clang", p.dir, []string{b.tool, "--version"}, nil}.output(ctx)
	if err != nil {
		return nil, err
	}
	b.version = string(version)
	if err := b.readFlags(); err != nil {
		return nil, err
	}
	sdk, ok := b.sdk()
	if !ok {
		return nil, fmt.Errorf("build: %s: there is no wasmill.h: put the SDK back into .wasmill/sdk (wasmill new writes it), or write -I and its directory into %s, a line", p.dir, cFlags)
	}
	if b.step, err = b.list("."); err != nil {
		return nil, fmt.Errorf("build: %s: %w", p.dir, err)
	}
	if b.parts, err = b.list(sdk); err != nil {
		return nil, fmt.Errorf("build: %s: %w", p.dir, err)
	}
	p.note(b.tool, b.version)
	for _, words := range [][]string{ccFlags, sdkFlags, cxxFlags, ldFlags, b.step, b.parts} {
		p.note(words...)
	}
	p.noteEnv("WASI_", ldVariable+"=", "CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "LIBRARY_PATH=")
	for _, dir := range append([]string{"."}, b.include...) {
		if err := p.tree(dir, cSources); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
		}
	}
	return b.run, nil
}

// cBuild is the build of one directory.
type cBuild struct {
	dir, tool, version string
	include            []string // directories of -I, as they are written
	c, cxx, link       []string // flags of the project
	step, parts        []string // files of the step and of the SDK, relative to dir
}

// readFlags reads compile_flags.txt, if there is one.
func (b *cBuild) readFlags() error {
	text, err := os.ReadFile(filepath.Join(b.dir, cFlags))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("build: %w", err)
	}
	include := false // the line before was -I
	for line := range strings.Lines(string(text)) {
		flag := strings.TrimSpace(line)
		switch dir, isDir := strings.CutPrefix(flag, "-I"); {
		case flag == "":
			continue
		case include:
			b.include = append(b.include, flag)
		case isDir && dir != "":
			b.include = append(b.include, dir)
		}
		include = flag == "-I"
		switch {
		case strings.HasPrefix(flag, "-Wl,"), strings.HasPrefix(flag, "-l"), strings.HasPrefix(flag, "-L"):
			b.link = append(b.link, flag)
		case strings.HasPrefix(flag, "-std=c++"), strings.HasPrefix(flag, "-std=gnu++"):
			b.cxx = append(b.cxx, flag)
		case strings.HasPrefix(flag, "-std="):
			b.c = append(b.c, flag)
		default:
			b.c, b.cxx = append(b.c, flag), append(b.cxx, flag)
		}
	}
	if sdk := filepath.Join(".wasmill", "sdk"); !slices.ContainsFunc(b.include, func(d string) bool { return filepath.Clean(d) == sdk }) && exists(filepath.Join(b.dir, sdk)) {
		b.include = append(b.include, sdk)
		b.c, b.cxx = append(b.c, "-I", sdk), append(b.cxx, "-I", sdk)
	}
	return nil
}

// sdk returns the directory of wasmill.h, as it is written.
func (b *cBuild) sdk() (dir string, ok bool) {
	i := slices.IndexFunc(b.include, func(d string) bool { return exists(filepath.Join(b.abs(d), "wasmill.h")) })
	if i < 0 {
		return "", false
	}
	return b.include[i], true
}

func (b *cBuild) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.dir, path)
}

// list returns the files of C and C++ in a directory: not tests, and not what
// stands for the host in tests.
func (b *cBuild) list(dir string) (files []string, err error) {
	entries, err := os.ReadDir(b.abs(dir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		base := strings.TrimSuffix(e.Name(), ext)
		if regular(filepath.Join(b.abs(dir), e.Name()), e) && slices.Contains(cExts, ext) && !strings.HasSuffix(base, "_test") && !strings.HasSuffix(base, "_native") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}
