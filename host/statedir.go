package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/pebblestore"
)

// stateDir is the directory of a job's state: the store, and the number of
// the process that has it open, for the message to another one.
type stateDir struct {
	dir   string
	first *pebblestore.Store // opened, and not yet taken by next
}

func newStateDir(dir string) *stateDir { return &stateDir{dir: dir} }

func (d *stateDir) pidFile() string { return filepath.Join(d.dir, "run.pid") }

// A process that is killed holds its lock for a moment longer than its
// parent can see it.
const (
	lockTries = 5
	lockPause = 50 * time.Millisecond
)

// wait opens the store, with patience if it is locked.
func (d *stateDir) wait(ctx context.Context) error {
	for try := 1; ; try++ {
		err := d.open()
		if try == lockTries || !errors.Is(err, state.ErrLocked) {
			return err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return err
		}
	}
}

func (d *stateDir) open() error {
	s, err := pebblestore.Open(filepath.Join(d.dir, "store"), pebblestore.Options{})
	if errors.Is(err, state.ErrLocked) {
		by := ""
		if pid, err := os.ReadFile(d.pidFile()); err == nil {
			by = " (process " + strings.TrimSpace(string(pid)) + ")"
		}
		return fmt.Errorf("state directory %s is in use by another run of this job%s: wait for it or stop it: %w", d.dir, by, state.ErrLocked)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("state directory %s cannot be written to: choose another one with --state-dir or state_dir: %w", d.dir, err)
	}
	switch {
	case err == nil:
	case errors.Is(err, state.ErrOutcomeUnknown):
		return err // the disk is at fault, not what is on it
	default:
		return fmt.Errorf("state directory %s cannot be opened: %w; if its files are damaged, put back a copy of it, or remove it and run with --fresh, which drops the output as well", d.dir, err)
	}
	d.first = s
	return os.WriteFile(d.pidFile(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

// explain says what to do about a full disk, unless err is of a connector,
// which says it itself.
func (d *stateDir) explain(err error) error {
	var of *plugins.Error
	if errors.As(err, &of) || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return &plugins.Error{Class: plugins.Exhausted, Err: fmt.Errorf(
		"state directory %s: %w; what is committed is safe: make room and run again", d.dir, err)}
}

// next returns the open store once, and opens it anew from then on.
func (d *stateDir) next() (*pebblestore.Store, error) {
	if d.first == nil {
		if err := d.open(); err != nil {
			return nil, err
		}
	}
	s := d.first
	d.first = nil
	return s, nil
}

func (d *stateDir) close() error {
	if d.first == nil {
		return nil
	}
	err := d.first.Close()
	d.first = nil
	return err
}
