package read

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// lines reads Lines and JSONL.
type lines struct {
	w       *window
	end     int64
	json    bool
	pos     int64 // where to begin; of no use once started
	skip    bool  // pos is the start of a later split: its first line may have begun before
	started bool
	scanned int // bytes behind w.r known to hold no \n
	rec     record.Record
}

func newLines(w *window, o Options, pos int64) *lines {
	return &lines{
		w: w, end: o.End, json: o.Format == JSONL,
		pos: pos, skip: pos == o.Start && pos > 0,
		rec: record.Record{Time: record.NoTime},
	}
}

// start goes to the first record that begins at pos or later. The byte before
// pos decides: a line begins at pos exactly if a \n is there.
func (l *lines) start(ctx context.Context) error {
	if l.skip {
		if err := l.w.seek(ctx, l.pos-1); err != nil {
			return err
		}
		l.skip = false
		if err := l.discard(ctx, l.end); err != nil {
			return err
		}
	} else if err := l.w.seek(ctx, l.pos); err != nil {
		return err
	}
	l.started = true
	return nil
}

// discard moves behind the next \n, or to the end, without keeping anything.
// It stops at stop or later if no line begins before: a line that is longer
// than a split is read once, not once for each split in it.
func (l *lines) discard(ctx context.Context, stop int64) error {
	w := l.w
	l.scanned = 0
	for {
		if i := bytes.IndexByte(w.buf[w.r:w.w], '\n'); i >= 0 {
			w.r += i + 1
			return nil
		}
		w.r = w.w
		if w.pos() >= stop {
			return nil
		}
		if err := w.more(ctx); err != nil {
			if w.err != nil {
				return nil // the end: the caller's next step finds it
			}
			return err
		}
	}
}

// Read implements Reader.
func (l *lines) Read(ctx context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	w := l.w
	if w.closed() {
		return position(l.pos), errClosed
	}
	if !l.started {
		if err := l.start(ctx); err != nil {
			return position(l.pos), err
		}
	}
	for n := 0; ; {
		if w.pos() >= l.end && w.in.decoder == nil {
			return position(w.pos()), w.in.end()
		}
		i := bytes.IndexByte(w.buf[w.r+l.scanned:w.w], '\n')
		var line []byte
		next := 0
		switch {
		case i >= 0:
			line = w.buf[w.r : w.r+l.scanned+i]
			next = len(line) + 1
			if k := len(line) - 1; k >= 0 && line[k] == '\r' {
				line = line[:k]
			}
		case w.w-w.r > limit.Record+1: // one more for a \r
			if n > 0 {
				return position(w.pos()), nil
			}
			return l.tooLarge(ctx, limit.Record)
		case w.err == nil:
			l.scanned = w.w - w.r
			if n > 0 && l.scanned >= bufferSize/2 {
				return position(w.pos()), nil // rather a smaller batch than a larger buffer
			}
			if err := w.more(ctx); err != nil && w.err == nil {
				return position(w.pos()), err
			}
			continue
		case w.r == w.w || w.torn():
			return position(w.pos()), w.err
		default:
			line = w.buf[w.r:w.w]
			next = len(line)
		}
		if len(line) > limit.Record {
			if n > 0 {
				l.scanned = 0
				return position(w.pos()), nil
			}
			return l.tooLarge(ctx, limit.Record)
		}
		if l.json {
			line = trimBOM(line, w.pos())
			if len(bytes.TrimSpace(line)) == 0 {
				w.r += next
				l.scanned = 0
				continue
			}
			if !json.Valid(line) {
				if n > 0 {
					l.scanned = 0
					return position(w.pos()), nil
				}
				return l.badJSON(line, next)
			}
		}
		size := wire.RecordHeaderSize + len(line)
		if n > 0 && (b.Count >= limit.Records || len(b.Records)+size > limit.Bytes) {
			l.scanned = 0
			return position(w.pos()), nil
		}
		l.rec.Position = position(w.pos())
		l.rec.Value = line
		b.Add(&l.rec)
		n++
		w.r += next
		l.scanned = 0
	}
}

// tooLarge passes over a line that is longer than the limit.
func (l *lines) tooLarge(ctx context.Context, limit int) (record.Position, error) {
	w := l.w
	pos, first := w.pos(), head(w.buf[w.r:w.w])
	if err := l.discard(ctx, math.MaxInt64); err != nil {
		// ctx ended half way: the reader is of no use any more, its split is
		// read again from pos.
		w.err = err
		return position(pos), err
	}
	return position(w.pos()), recordError("too_large", pos, w.pos(), first,
		fmt.Errorf("%s: a line of %d bytes is over limits.max_record of %d", quote(w.in.o.Path), w.pos()-pos, limit))
}

func (l *lines) badJSON(line []byte, next int) (record.Position, error) {
	w := l.w
	pos := w.pos()
	var v json.RawMessage
	err := json.Unmarshal(line, &v)
	e := recordError("bad_json", pos, pos+int64(next), line, fmt.Errorf("%s: %w", quote(w.in.o.Path), err))
	w.r += next
	l.scanned = 0
	return position(w.pos()), e
}

// Close implements Reader.
func (l *lines) Close() { l.w.close() }
