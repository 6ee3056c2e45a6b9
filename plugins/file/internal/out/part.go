package out

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/disk"
)

// part is a file of a writer.
type part struct {
	dir, path string
	length    int64 // with what is in buf
	opened    int64 // milliseconds since 1970
	columns   []string
	dirty     bool // has bytes that are not durable

	file disk.File // nil while it is not open
	buf  []byte    // not yet written; empty while it is not open
}

// final returns the name that a rolled file ends with.
func (p *part) final(ext string) string {
	n, _ := parseName(split(p.path)) // it is one that newPart or a token's check made
	return n.finished(ext).String()
}

// flush writes p's buffer.
func (w *writer) flush(p *part) error {
	if len(p.buf) == 0 {
		return nil
	}
	_, err := p.file.Write(p.buf)
	p.buf = p.buf[:0]
	if err != nil {
		return w.s.fail(p.path, err)
	}
	return nil
}

// release closes p's handle for another file. Its bytes are made durable by
// the next Prepare.
func (w *writer) release(p *part) error {
	if p.file == nil {
		return nil
	}
	if err := w.flush(p); err != nil {
		return err
	}
	if i := slices.Index(w.open, p); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
	}
	err := p.file.Close()
	p.file, p.buf = nil, nil
	if err != nil {
		return w.s.fail(p.path, err)
	}
	return nil
}

// sync makes p durable.
func (w *writer) sync(p *part) error {
	if !p.dirty {
		return nil
	}
	f := p.file
	if f == nil {
		var err error
		if f, err = w.s.disk.Open(p.path); err != nil {
			return w.s.fail(p.path, err)
		}
		defer f.Close()
	} else if err := w.flush(p); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return w.s.fail(p.path, err)
	}
	p.dirty = false
	return nil
}

// settle makes p durable and looks whether its bytes are under its name: a
// file that was removed or moved away goes on to take what is written to it.
func (w *writer) settle(p *part) error {
	if err := w.sync(p); err != nil {
		return err
	}
	size, err := w.s.disk.Size(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.s.fail(p.path, err)
	}
	if err != nil || size != p.length {
		return &plugins.Error{Class: plugins.User, Err: w.s.fail(p.path, fmt.Errorf(
			"it has %d bytes where this run has written %d: somebody else removes or changes the output; put it back, or start over with --fresh", size, p.length))}
	}
	return nil
}

// seal ends a rolled file: the next record of its directory begins another.
func (w *writer) seal(p *part) error {
	if err := w.release(p); err != nil {
		return err
	}
	delete(w.parts, p.dir)
	w.sealed = append(w.sealed, p)
	w.changed = true
	return nil
}
