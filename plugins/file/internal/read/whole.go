package read

import (
	"context"
	"fmt"
	"io"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// whole reads Whole. A file that changed gives no record, only its fault.
type whole struct {
	w   *window
	o   Options
	pos int64
}

func newWhole(w *window, o Options, pos int64) *whole { return &whole{w: w, o: o, pos: pos} }

// Read implements Reader.
func (h *whole) Read(ctx context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	w := h.w
	if w.closed() {
		return position(h.pos), errClosed
	}
	if h.pos > 0 {
		return 1, io.EOF
	}
	room := limit.Record - len(h.o.Path)
	for w.err == nil && w.w <= room {
		if err := w.more(ctx); err != nil && w.err == nil {
			return 0, err
		}
	}
	if w.w > room {
		// What is behind is not read: its length matters to nobody.
		h.pos = 1
		return 1, recordError("too_large", 0, 1, w.buf[:w.w], fmt.Errorf("%s: the content is over limits.max_record of %d", quote(h.o.Path), limit.Record))
	}
	if w.torn() {
		return 0, w.err
	}
	h.pos = 1
	value := w.buf[:w.w]
	if value == nil {
		value = []byte{}
	}
	b.Add(&record.Record{Time: record.NoTime, Key: []byte(h.o.Path), Value: value})
	return 1, io.EOF
}

// Close implements Reader.
func (h *whole) Close() { h.w.close() }
