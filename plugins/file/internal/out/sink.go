// Package out is the file sink: one file a task and partition value, or
// files that roll, exactly once.
package out

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/disk"
)

// Options of a file sink.
type Options struct {
	Path        string // directory, absolute
	Format      Format
	PartitionBy string // JSON Pointer into the value, "" = one partition
	Roll        *Roll  // nil: one file a task and partition value
	Now         func() time.Time
}

// Roll says when a file is finished and another begun: at the end of the
// input in any case.
type Roll struct {
	Size  int64         // bytes, 0 = whatever the size
	Every time.Duration // age, 0 = however old
}

// FromConfig makes options of checked fields.
func FromConfig(c plugins.Config) Options {
	o := Options{Path: c.String("path"), Format: formatOf(c.String("format")), PartitionBy: c.String("partition_by")}
	if r := c.Object("roll"); r != nil {
		o.Roll = &Roll{Size: r.Int("size"), Every: r.Duration("every")}
	}
	return o
}

// Sink writes files under one directory.
type Sink struct {
	o    Options
	disk disk.Disk
}

// New returns a sink over the local disk.
func New(o Options) *Sink { return NewOn(disk.OS(o.Path), o) }

// NewOn returns a sink over d.
func NewOn(d disk.Disk, o Options) *Sink {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sink{o: o, disk: d}
}

// Open implements plugins.Sink.
func (s *Sink) Open(ctx context.Context, w plugins.Writer, tok []byte, _ bool) (plugins.SinkWriter, error) {
	t, err := parseToken(tok)
	if err != nil {
		return nil, s.fail("", err)
	}
	if err := s.recover(ctx, t, w.Task); err != nil {
		return nil, err
	}
	return newWriter(s, w, t, tok), nil
}

// recover does what decide says.
func (s *Sink) recover(ctx context.Context, t token, task int) error {
	found := map[string]int64{}
	err := s.each(ctx, func(n name, path string, size int64) error {
		if n.task == task {
			found[path] = size
		}
		return nil
	})
	if err != nil {
		return err
	}
	acts, err := decide(t, found, task, s.o.Format.ext())
	if err != nil {
		return &plugins.Error{Class: plugins.User, Err: s.fail("", err)}
	}
	changed := map[string]bool{}
	for _, a := range acts {
		dir, _ := split(a.path)
		switch a.do {
		case "truncate":
			err = s.disk.Truncate(a.path, a.size)
		case "rename":
			err = s.disk.Rename(a.path, a.to)
			changed[dir] = true
		case "remove":
			err = s.disk.Remove(a.path)
			changed[dir] = true
		}
		if err != nil {
			return s.fail(a.path, err)
		}
	}
	return s.syncDirs(changed)
}

func (s *Sink) syncDirs(dirs map[string]bool) error {
	for dir := range dirs {
		if err := s.disk.SyncDir(dir); err != nil {
			return s.fail(dir, err)
		}
	}
	return nil
}

// each calls do for every file of the sink, of whichever task. Without
// partition_by a sink has no directories: what lies in one is not its own.
func (s *Sink) each(ctx context.Context, do func(n name, path string, size int64) error) error {
	top, err := s.disk.List(".")
	if err != nil {
		return s.fail("", err)
	}
	visit := func(dir string, infos []disk.Info) error {
		for _, i := range infos {
			if n, ok := parseName(dir, i.Name); ok && !i.Dir {
				if err := do(n, n.String(), i.Size); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := visit(".", top); err != nil || s.o.PartitionBy == "" {
		return err
	}
	for _, i := range top {
		if !i.Dir {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		infos, err := s.disk.List(i.Name)
		if err != nil {
			return s.fail(i.Name, err)
		}
		if err := visit(i.Name, infos); err != nil {
			return err
		}
	}
	return nil
}

// Drop implements plugins.Sink. Files that no sink of this kind names so stay,
// and so do the directories that hold them.
func (s *Sink) Drop(ctx context.Context) error {
	changed := map[string]bool{}
	err := s.each(ctx, func(n name, path string, _ int64) error {
		if err := s.disk.Remove(path); err != nil {
			return s.fail(path, err)
		}
		changed[n.dir] = true
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.syncDirs(changed); err != nil {
		return err
	}
	for dir := range changed {
		if dir == "." {
			continue
		}
		if err := s.disk.Remove(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return s.fail(dir, err)
		}
	}
	return nil
}

// Close implements plugins.Sink.
func (s *Sink) Close() error { return nil }

// fail says which file an error is of, and what to do about a full disk.
func (s *Sink) fail(path string, err error) error {
	where := filepath.Join(s.o.Path, filepath.FromSlash(path))
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &plugins.Error{Class: plugins.Exhausted, Err: fmt.Errorf(
			"%s: %w; what is committed is safe: make room and run again", where, err)}
	}
	return fmt.Errorf("%s: %w", where, err)
}
