package read

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// maxHeader bounds the header row of a CSV file.
const maxHeader = 1 << 20

// csv reads CSV. Whatever the position, it reads the header row first.
type csv struct {
	w       *window
	path    string
	pos     int64
	names   []string // of the columns
	keys    [][]byte // {"name": and ,"name":
	row     row
	value   []byte
	started bool
	rec     record.Record
}

func newCSV(w *window, o Options, pos int64) *csv {
	return &csv{w: w, path: o.Path, pos: pos, rec: record.Record{Time: record.NoTime}}
}

// next cuts the next row that is not empty; the row stays in the window, n
// bytes long. n is 0 when it is longer than limit, and err is w.err at the end.
func (c *csv) next(ctx context.Context, limit int) (n int, bad, err error) {
	w := c.w
	for {
		data := w.buf[w.r:w.w]
		switch {
		case len(data) > 0 && data[0] == '\n':
			w.r++
			continue
		case len(data) > 1 && data[0] == '\r' && data[1] == '\n':
			w.r += 2
			continue
		}
		if len(data) > 0 {
			if n, bad = c.row.parse(data, w.err != nil); n > 0 {
				if n == len(data) && data[n-1] != '\n' && w.torn() {
					return 0, nil, w.err
				}
				return n, bad, nil
			}
			if len(data) > limit {
				return 0, nil, nil
			}
		}
		if w.err != nil {
			return 0, nil, w.err
		}
		if err := w.more(ctx); err != nil && w.err == nil {
			return 0, nil, err
		}
	}
}

// header reads the header row and goes to pos.
func (c *csv) header(ctx context.Context) error {
	w := c.w
	for w.w < 3 && w.err == nil {
		if err := w.more(ctx); err != nil && w.err == nil {
			return err
		}
	}
	if w.base == 0 && w.r == 0 {
		w.r = w.w - len(trimBOM(w.buf[:w.w], 0))
	}
	n, bad, err := c.next(ctx, maxHeader)
	if err != nil {
		return err
	}
	if n == 0 {
		bad = fmt.Errorf("it is longer than %d bytes", maxHeader)
	}
	seen := map[string]bool{}
	for i, f := range c.row.fields {
		name := string(f)
		switch {
		case bad != nil:
		case !utf8.ValidString(name):
			bad = fmt.Errorf("column %d has a name that is not UTF-8: %q", i+1, name)
		case seen[name]:
			bad = fmt.Errorf("two columns are called %q", name)
		}
		seen[name] = true
		c.names = append(c.names, name)
		lead := byte(',')
		if i == 0 {
			lead = '{'
		}
		c.keys = append(c.keys, append(AppendJSONString([]byte{lead}, name), ':'))
	}
	if bad != nil {
		w.err = &plugins.Fault{Kind: plugins.Corrupt, Path: c.path, Err: fmt.Errorf("the header row: %w", bad)}
		return w.err
	}
	w.r += n
	if c.pos > w.pos() {
		if err := w.seek(ctx, c.pos); err != nil {
			return err
		}
	}
	c.started = true
	return nil
}

// Read implements Reader.
func (c *csv) Read(ctx context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	w := c.w
	if w.closed() {
		return position(c.pos), errClosed
	}
	if !c.started {
		if err := c.header(ctx); err != nil {
			return position(c.pos), err
		}
	}
	for read := 0; ; read++ {
		n, bad, err := c.next(ctx, limit.Record)
		switch {
		case err != nil:
			return position(w.pos()), err
		case n == 0 && read > 0:
			return position(w.pos()), nil
		case n == 0:
			return c.tooLarge(ctx, limit.Record)
		case bad == nil:
			bad = c.encode()
		}
		code := "bad_csv"
		if bad == nil && len(c.value) > limit.Record {
			code, bad = "too_large", fmt.Errorf("a row of %d bytes as JSON is over limits.max_record of %d", len(c.value), limit.Record)
		}
		if bad != nil {
			if read > 0 {
				return position(w.pos()), nil
			}
			e := recordError(code, w.pos(), w.pos()+int64(n), w.buf[w.r:w.r+n], fmt.Errorf("%s: %w", quote(c.path), bad))
			w.r += n
			return position(w.pos()), e
		}
		if read > 0 && (b.Count >= limit.Records || len(b.Records)+wire.RecordHeaderSize+len(c.value) > limit.Bytes) {
			return position(w.pos()), nil
		}
		c.rec.Position = position(w.pos())
		c.rec.Value = c.value
		b.Add(&c.rec)
		w.r += n
	}
}

// encode makes the row a JSON object in c.value.
func (c *csv) encode() error {
	if len(c.row.fields) != len(c.keys) {
		return fmt.Errorf("a row of %d fields under a header of %d", len(c.row.fields), len(c.keys))
	}
	v := c.value[:0]
	for i, f := range c.row.fields {
		if !utf8.Valid(f) {
			return fmt.Errorf("field %q is not UTF-8", c.names[i])
		}
		v = AppendJSONString(append(v, c.keys[i]...), f)
	}
	c.value = append(v, '}')
	return nil
}

// tooLarge passes over a row that is longer than the limit: up to the first
// line end that has an even number of quotes before it.
func (c *csv) tooLarge(ctx context.Context, limit int) (record.Position, error) {
	w := c.w
	pos, first := w.pos(), head(w.buf[w.r:w.w])
	for quoted := false; ; {
		for i, b := range w.buf[w.r:w.w] {
			if b == '"' {
				quoted = !quoted
			}
			if b == '\n' && !quoted {
				w.r += i + 1
				return position(w.pos()), recordError("too_large", pos, w.pos(), first,
					fmt.Errorf("%s: a row of %d bytes is over limits.max_record of %d", quote(c.path), w.pos()-pos, limit))
			}
		}
		w.r = w.w
		if err := w.more(ctx); err != nil {
			if w.err == nil {
				w.err = err // the reader is of no use: its split is read again from pos
				return position(pos), err
			}
			return position(w.pos()), recordError("too_large", pos, w.pos(), first, errors.New(quote(c.path)+": a row is over limits.max_record and ends with the file"))
		}
	}
}

// Close implements Reader.
func (c *csv) Close() { c.w.close() }
