package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing must have changed before a change is told: an
// editor that saves, or a checkout, changes many files at once.
const quiet = 100 * time.Millisecond

// change is what wait returns: what has changed, or why it is not known.
type change struct {
	path string
	err  error
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
			if _, err := os.Stat(c.path); err != nil { // none yet, or one that an editor has renamed since
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
	info, err := os.Stat(e.Name)
	if err == nil && slices.ContainsFunc(w.own, func(own os.FileInfo) bool { return os.SameFile(own, info) }) {
		return false
	}
	below := w.below(e.Name)
	if below && e.Has(fsnotify.Create) && err == nil && info.IsDir() {
		w.tree(e.Name)
	}
	return below || w.files[e.Name]
}

// below reports whether a path is a directory that is watched with all below
// it, or lies in one. w.mu is held.
func (w *watch) below(path string) bool {
	for !w.trees[path] {
		up := filepath.Dir(path)
		if up == path || passedOver(filepath.Base(path)) {
			return false
		}
		path = up
	}
	return true
}
