package build

import (
	"bytes"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sources says which files of a tree a build reads.
type sources struct {
	// is reports by its name whether a file is source. What else lies there,
	// such as data and the output of jobs, decides nothing.
	is func(name string) bool

	// embeds reports whether a text of source takes in files of other names:
	// then every file counts. Nil if the language has no such thing.
	embeds func(text []byte) bool

	// skip reports whether a directory below the root is left out. Default:
	// those that begin with a dot, and what tools of languages write, as in
	// generated.
	skip func(name string) bool
}

// generated reports whether a directory holds no source by its name.
func generated(name string) bool {
	switch name {
	case "target", "node_modules", "__pycache__":
		return true
	}
	return hidden(name)
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// hash adds names and contents of the files below root to h, in the order of
// names.
func (s sources) hash(h hash.Hash, root string) error {
	skip := s.skip
	if skip == nil {
		skip = generated
	}
	embeds := false
	var others []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && skip(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !s.is(d.Name()) {
			others = append(others, path)
			return nil
		}
		if !regular(path, d) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		embeds = embeds || s.embeds != nil && s.embeds(text)
		return hashFile(h, root, path, int64(len(text)), bytes.NewReader(text))
	})
	if err != nil || !embeds {
		return err
	}
	for _, path := range others {
		if err := hashOther(h, root, path); err != nil {
			return err
		}
	}
	return nil
}

// regular reports whether what was found at path can be read as a file. Editors
// leave links to nowhere beside what they edit, and reading a pipe would wait.
func regular(path string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func hashOther(h hash.Hash, root, path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // nothing that can be embedded
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return hashFile(h, root, path, info.Size(), f)
}

func hashFile(h hash.Hash, root, path string, size int64, r io.Reader) error {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "file %q %d\x00", rel, size)
	_, err = io.Copy(h, r)
	return err
}

// extensions returns an is for files with these extensions or of these names.
func extensions(names ...string) func(string) bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return func(name string) bool { return set[name] || set[filepath.Ext(name)] }
}
