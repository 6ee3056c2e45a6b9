package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// most is how many directories are watched below one that is named: the kernel
// has a limit for all of its user's.
const most = 2000

// watch waits for changes of files. Directories that are watched stay so:
// source that a job does not name any more may be named again.
type watch struct {
	scr *screen
	w   *fsnotify.Watcher
	own []os.FileInfo // files that wasmill itself prints to

	mu    sync.Mutex
	files map[string]bool // mu: files that count by themselves
	trees map[string]bool // mu: directories that are watched with all below them
}

// newWatch begins to watch nothing; close must be called. Where one of printed
// is a file, its changes do not count: a run would be followed by the next for
// ever.
func newWatch(scr *screen, printed ...io.Writer) (*watch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching files: %w", err)
	}
	var own []os.FileInfo
	for _, p := range printed {
		if f, ok := p.(*os.File); ok {
			if info, err := f.Stat(); err == nil {
				own = append(own, info)
			}
		}
	}
	return &watch{scr: scr, w: w, own: own, files: map[string]bool{}, trees: map[string]bool{}}, nil
}

func (w *watch) close() { _ = w.w.Close() }

// file watches one file. The directory is watched in its stead, because
// editors put a new file in the place of the old one.
func (w *watch) file(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = absolute(path)
	if w.files[path] {
		return
	}
	w.files[path] = true
	w.add(filepath.Dir(path))
}

// source watches a directory and all below it, and the one that it is in: it
// may be taken away and put back. It is called by several goroutines.
func (w *watch) source(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir = absolute(dir)
	if w.trees[dir] {
		return
	}
	w.trees[dir] = true
	w.tree(dir)
	w.add(filepath.Dir(dir))
}

// job watches the steps and the input of a job. The source of steps that are
// built is more than their directories: the build tells.
func (w *watch) job(spec *jobspec.Spec) {
	for _, s := range spec.Steps {
		if s.Wasm != "" {
			w.place(s.Wasm)
		}
	}
	for _, s := range spec.Sources {
		for _, f := range s.Kind.Fields {
			if f.Type == plugins.Path && s.Config.String(f.Name) != "" {
				w.place(s.Config.String(f.Name))
			}
		}
	}
}

func (w *watch) place(path string) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		w.source(path)
		return
	}
	w.file(path)
}

// tree adds a directory and those below it. w.mu is held.
func (w *watch) tree(root string) {
	n := 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read is no source
		}
		if path != root && passedOver(d.Name()) {
			return fs.SkipDir
		}
		if n++; n > most {
			w.scr.say("%s has more than %d directories: changes below the others are not noticed", shown(root), most)
			return fs.SkipAll
		}
		w.add(path)
		return nil
	})
}

// add watches a directory itself. w.mu is held.
func (w *watch) add(dir string) {
	if err := w.w.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.scr.say("changes in %s are not noticed: %v", shown(dir), err)
	}
}

// passedOver reports whether a file or directory is none of the user's source
// by its name: hidden, written by tools, or an editor's own.
func passedOver(name string) bool {
	switch name {
	case "target", "node_modules", "__pycache__", "4913":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~")
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
