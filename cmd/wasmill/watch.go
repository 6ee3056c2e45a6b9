package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

const (
	// quiet is how long nothing must have changed before a change is told: an
	// editor that saves, or a checkout, changes many files at once.
	quiet = 100 * time.Millisecond

	// most is how many directories are watched below one that is named: the
	// kernel has a limit for all of its user's.
	most = 2000
)

// change is what wait returns: what has changed, or why it is not known.
type change struct {
	path string
	err  error
}

// watch waits for changes of files. Directories that are watched stay so:
// source that a job does not name any more may be named again.
type watch struct {
	scr *screen
	w   *fsnotify.Watcher

	mu    sync.Mutex
	files map[string]bool // mu: files that count by themselves
	trees map[string]bool // mu: directories that are watched with all below them
}

// newWatch begins to watch nothing; close must be called.
func newWatch(scr *screen) (*watch, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching files: %w", err)
	}
	return &watch{scr: scr, w: w, files: map[string]bool{}, trees: map[string]bool{}}, nil
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

// source watches a directory and all below it. It is called by several
// goroutines.
func (w *watch) source(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir = absolute(dir)
	if w.trees[dir] {
		return
	}
	w.trees[dir] = true
	w.tree(dir)
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

// wait returns the first thing that changes, once nothing has changed for a
// moment. Changes since the last call count.
func (w *watch) wait(ctx context.Context) (c change) {
	settled := time.NewTimer(0)
	<-settled.C
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return change{err: context.Cause(ctx)}
		case e, ok := <-w.w.Events:
			if !ok {
				return change{err: fsnotify.ErrClosed}
			}
			if !w.counts(e) {
				continue
			}
			if c.path == "" {
				c.path = e.Name
			}
			settled.Reset(quiet)
		case err, ok := <-w.w.Errors:
			if !ok {
				return change{err: fsnotify.ErrClosed}
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return change{err: fmt.Errorf("watching files: %w", err)}
			}
			c.path = "much"
			settled.Reset(quiet)
		case <-settled.C:
			return c
		}
	}
}

// counts reports whether an event is of a file that is watched, and watches
// directories that are new.
func (w *watch) counts(e fsnotify.Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Op == fsnotify.Chmod {
		return false
	}
	if w.files[e.Name] {
		return true
	}
	if passedOver(filepath.Base(e.Name)) {
		return false
	}
	for at := filepath.Dir(e.Name); ; at = filepath.Dir(at) {
		if w.trees[at] {
			break
		}
		if at == filepath.Dir(at) || passedOver(filepath.Base(at)) {
			return false
		}
	}
	if info, err := os.Stat(e.Name); e.Has(fsnotify.Create) && err == nil && info.IsDir() {
		w.tree(e.Name)
	}
	return true
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
