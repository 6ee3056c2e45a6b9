package build

import (
	"context"
	_ "embed" // the script
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasmill/wasmill/host/guest/archive"
)

// compilePy compiles all modules below /app and writes the results to standard
// output: u32 length and name, u32 length and bytes, each.
//
//go:embed pythoncompile.py
var compilePy string

// compile returns the application's files: modules as what the interpreter
// compiles them to, so that it need not do so at each start, and data of
// packages as it is.
func (s *pythonStep) compile(ctx context.Context, stage string) ([]archive.File, error) {
	out, log, code, err := s.runCPython(ctx, compilePy, stage)
	if err != nil {
		return nil, fmt.Errorf("build: %s: compiling: %w", s.dir, err)
	}
	if code != 0 {
		return nil, fmt.Errorf("build: %s: %s", s.dir, shorten(strings.TrimSpace(string(log))))
	}
	var app []archive.File
	compiled := map[string]bool{}
	for len(out) > 0 {
		var name, data []byte
		if name, out, err = cutBlock(out); err == nil {
			data, out, err = cutBlock(out)
		}
		if err != nil {
			return nil, fmt.Errorf("build: %s: compiling: %w", s.dir, err)
		}
		compiled[string(name)] = true
		app = append(app, archive.File{Name: string(name) + "c", Data: data})
	}
	if !compiled[s.entry] {
		return nil, fmt.Errorf("build: %s: %s was not compiled", s.dir, s.entry)
	}
	return withData(app, stage, compiled)
}

func cutBlock(b []byte) (block, rest []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil, fmt.Errorf("the interpreter's output is cut off")
	}
	n := binary.LittleEndian.Uint32(b)
	return b[4:][:n], b[4+n:], nil
}

// withData adds the files of stage that were not compiled and that a program
// can want at run time.
func withData(app []archive.File, stage string, compiled map[string]bool) ([]archive.File, error) {
	err := filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(stage, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == "__pycache__" || name == "bin"):
			return fs.SkipDir
		case !d.Type().IsRegular() || name == dependenciesFile || compiled[name] || !wanted(name):
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			app = append(app, archive.File{Name: name, Data: data})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	return app, nil
}

// wanted reports whether a file that is no module belongs into an archive. Of
// what pip notes about a package, its name, version and entry points do; the
// rest differs from one installation to the next.
func wanted(name string) bool {
	dir, file, _ := strings.Cut(name, "/")
	if strings.HasSuffix(dir, ".dist-info") {
		return file == "METADATA" || file == "entry_points.txt" || file == "top_level.txt"
	}
	switch filepath.Ext(name) {
	case ".pyi", ".pyc", ".c", ".h", ".pyx":
		return false
	}
	return filepath.Base(name) != "py.typed"
}
