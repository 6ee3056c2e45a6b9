package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
	"github.com/wasmill/wasmill/traversal"
	"github.com/wasmill/wasmill/traversal/localfs"
)

// Source walks one tree.
type Source struct {
	o     Options
	env   plugins.Env
	match *matcher
	open  func() (traversal.FS, error) // once: the root is looked at when it is first needed
}

// New returns a source over the local disk. The root is first looked at by
// Enumerate or Open.
func New(env plugins.Env, o Options) *Source {
	s := newSource(env, o)
	s.open = sync.OnceValues(s.openLocal)
	return s
}

// NewOn returns a source over fsys, whose root stands for o.Root.
func NewOn(fsys traversal.FS, env plugins.Env, o Options) *Source {
	s := newSource(env, o)
	s.open = func() (traversal.FS, error) { return fsys, nil }
	return s
}

func newSource(env plugins.Env, o Options) *Source {
	if o.Split <= 0 {
		o.Split = DefaultSplit
	}
	return &Source{o: o, env: env, match: newMatcher(o.Include, o.Exclude)}
}

// openLocal finds the root. A root that is a file is a tree of this one file,
// whatever the globs.
func (s *Source) openLocal() (traversal.FS, error) {
	f, err := localfs.New(s.o.Root)
	if err != nil {
		return nil, s.rootError(err)
	}
	e, err := f.Stat(traversal.Root)
	if err != nil {
		return nil, s.rootError(err)
	}
	switch e.Kind {
	case traversal.KindDir:
		return f, s.avoid(f.Root())
	case traversal.KindFile:
		s.match = newMatcher(nil, nil)
		dir, err := localfs.New(filepath.Dir(f.Root()))
		if err != nil {
			return nil, s.rootError(err)
		}
		return oneFile{dir, e.Name}, nil
	}
	return nil, s.rootError(errors.New("it is neither a directory nor a regular file"))
}

func (s *Source) rootError(err error) error {
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		hint = "; check root: a relative one begins at the job file, in a --set at the working directory"
	}
	return &plugins.Error{Class: plugins.User, Err: fmt.Errorf("root %q cannot be read: %w%s", s.o.Root, err, hint)}
}

// avoid keeps the walk out of what the job itself writes below root.
func (s *Source) avoid(root string) error {
	for _, path := range s.env.Avoid {
		rel, inside, covers := relate(root, path)
		if covers {
			return &plugins.Error{Class: plugins.User, Err: fmt.Errorf(
				"root %q lies in %q, where this job keeps its state or output: choose another place for that", s.o.Root, path)}
		}
		if inside {
			s.match.avoid[rel] = true
		}
	}
	return nil
}

// oneFile shows one file of a directory.
type oneFile struct {
	traversal.FS
	name string
}

// ReadDir implements traversal.FS.
func (f oneFile) ReadDir(_ context.Context, dir, after string, _ int, _ func(string, traversal.Kind) bool) ([]traversal.Entry, bool, error) {
	if dir != traversal.Root || f.name <= after {
		return nil, false, nil
	}
	e, err := f.Stat(f.name)
	if err != nil {
		return nil, false, err
	}
	return []traversal.Entry{e}, false, nil
}

// Enumerate implements plugins.Source. The waiting items are directories.
func (s *Source) Enumerate(ctx context.Context, started bool, items iter.Seq2[[]byte, []byte]) (plugins.Enumerator, error) {
	t, err := s.open()
	if err != nil {
		return nil, err
	}
	return newEnumerator(ctx, s, t, started, items)
}

// Open implements plugins.Source.
func (s *Source) Open(_ context.Context, split plugins.Split, pos record.Position) (plugins.Reader, error) {
	t, err := s.open()
	if err != nil {
		return nil, err
	}
	spec, err := parseSpec(split.Spec)
	if err != nil {
		return nil, err
	}
	if e, ok := spec.(*entriesSpec); ok {
		return newEntriesReader(e, pos), nil
	}
	return s.openFile(t, spec.(*fileSpec), pos)
}

func (s *Source) openFile(t traversal.FS, spec *fileSpec, pos record.Position) (plugins.Reader, error) {
	f, now, err := t.Open(spec.path)
	if err != nil {
		return nil, fault(spec.path, err)
	}
	return &fileReader{file: f, Reader: read.New(f, read.Options{
		Path:    spec.path,
		Format:  s.o.Records.format(),
		Auto:    spec.auto,
		Size:    spec.size,
		ModTime: spec.modTime,
		Start:   spec.start,
		End:     spec.end,
		Changed: read.Differs(spec.size, spec.modTime, now),
	}, pos)}, nil
}

// Close implements plugins.Source.
func (s *Source) Close() error { return nil }

// fileReader closes its file.
type fileReader struct {
	read.Reader
	file traversal.File
}

// Close implements plugins.Reader. It may be called more than once.
func (r *fileReader) Close() error {
	if r.file == nil {
		return nil
	}
	r.Reader.Close()
	err := r.file.Close()
	r.file = nil
	return err
}

// fault makes an error of the tree what the run takes it for: a fault of the
// path, or the end of the run if the process is out of something.
func fault(path string, err error) error {
	if traversal.ClassOf(err) == traversal.Exhausted {
		return &plugins.Error{Class: plugins.Exhausted, Retry: true, Err: fmt.Errorf("%w; raise the limit of open files (ulimit -n) or lower tasks", err)}
	}
	return faultOf(path, err)
}

func faultOf(path string, err error) *plugins.Fault {
	kind := plugins.Unreadable
	switch traversal.ClassOf(err) {
	case traversal.Vanished:
		kind = plugins.Vanished
	case traversal.Changed:
		kind = plugins.Changed
	}
	return &plugins.Fault{Kind: kind, Path: path, Err: err}
}
