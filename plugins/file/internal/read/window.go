package read

import (
	"context"
	"errors"
	"io"
	"sync"
)

// A window begins with bufferSize bytes and grows for a record that is longer.
// Grown buffers above maxPooled are left to the garbage collector.
const (
	bufferSize = 256 << 10
	maxPooled  = 4 << 20
)

var buffers = sync.Pool{New: func() any { b := make([]byte, bufferSize); return &b }}

// window is the part of an input that is in memory: buf[r:w] is what was read
// and not yet used.
type window struct {
	in   input
	pool *[]byte // nil until the first read
	buf  []byte
	r, w int
	base int64 // offset of buf[0] in the input's stream
	err  error // io.EOF or a fault: nothing comes behind buf[w]
}

// pos returns the offset of buf[r].
func (w *window) pos() int64 { return w.base + int64(w.r) }

// more reads further bytes behind buf[w], moving or growing the buffer, and
// returns w.err if there are none or ctx's error.
func (w *window) more(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.pool == nil {
		w.pool = buffers.Get().(*[]byte)
		w.buf = *w.pool
	}
	if w.r > 0 {
		n := copy(w.buf, w.buf[w.r:w.w])
		w.base += int64(w.r)
		w.r, w.w = 0, n
	}
	if w.w == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	n, err := w.in.read(w.buf[w.w:])
	w.w += n
	w.err = err
	if n == 0 && err != nil {
		return err
	}
	return nil
}

// seek moves to an offset at or behind the present one: by a jump where the
// file is plain and nothing of it was looked at, by reading otherwise.
func (w *window) seek(ctx context.Context, to int64) error {
	if w.w == 0 && w.base == 0 && !w.in.o.Auto {
		w.base, w.in.off = to, to
		return nil
	}
	for w.pos() < to {
		if w.r == w.w {
			if err := w.more(ctx); err != nil {
				return err
			}
		}
		w.r += int(min(to-w.pos(), int64(w.w-w.r)))
		if w.in.decoder == nil && w.r == w.w && w.err == nil && w.pos() < to {
			// Plain after all: the rest is jumped over.
			w.base, w.r, w.w, w.in.off = to, 0, 0, to
		}
	}
	return nil
}

// torn tells whether bytes at the end that no delimiter follows may be a part
// of a record only: then they are none. It is known once err is set.
func (w *window) torn() bool { return !errors.Is(w.err, io.EOF) }

func (w *window) close() {
	w.in.close()
	if w.pool != nil {
		if len(w.buf) <= maxPooled {
			*w.pool = w.buf
			buffers.Put(w.pool)
		}
		w.pool, w.buf = nil, nil
	}
	w.r, w.w, w.err = 0, 0, errClosed
}

// closed tells whether the reader was closed.
func (w *window) closed() bool { return errors.Is(w.err, errClosed) }

var errClosed = errors.New("file: read after close")
