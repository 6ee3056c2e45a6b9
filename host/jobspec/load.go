package jobspec

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/wasmill/wasmill/plugins"
)

// Load reads a job file. If the job has faults the error is a Faults; any
// other error means that the file could not be read.
//
// Load looks whether modules exist; it neither reads nor builds them.
func Load(path string, reg *plugins.Registry, o Overrides) (*Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("job file: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("job file: %s is a directory: name the job file in it", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("job file: %w", err)
	}
	return Parse(path, data, reg, o)
}

// Parse is Load for a file that is read already. file names it in faults, and
// its directory is what paths in it are relative to.
func Parse(file string, data []byte, reg *plugins.Registry, o Overrides) (*Spec, error) {
	r, err := newReader(file, data, reg, o)
	if err != nil {
		return nil, err
	}
	root := r.readFile(data)
	if root == nil {
		return nil, r.err()
	}
	for i, arg := range o.Set {
		r.set(root, arg, i+1)
	}
	spec := r.job(root)
	if err := r.err(); err != nil {
		return nil, err
	}
	return spec, nil
}

// reader is one call of Parse.
type reader struct {
	reg    *plugins.Registry
	o      Overrides
	file   *text
	dir    string // absolute, of the file
	work   string // absolute
	nodes  int    // converted so far
	faults Faults
	seen   map[faultID]bool
	blind  bool // faults hide who reads what, so nothing can be called unread
}

func newReader(file string, data []byte, reg *plugins.Registry, o Overrides) (*reader, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("job file: %w", err)
	}
	work, err := filepath.Abs(o.WorkDir) // "" is the process's
	if err != nil {
		return nil, fmt.Errorf("job file: %w", err)
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.CPUs < 1 {
		o.CPUs = runtime.GOMAXPROCS(0)
	}
	const bom = "\ufeff"
	s := string(data)
	if len(s) >= len(bom) && s[:len(bom)] == bom {
		s = s[len(bom):]
	}
	return &reader{
		reg:  reg,
		o:    o,
		file: &text{name: file, lines: splitLines(s)},
		dir:  dir,
		work: work,
		seen: map[faultID]bool{},
	}, nil
}
