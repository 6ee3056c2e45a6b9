package out

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// Bounds of one writer.
const (
	maxOpen    = 64       // files
	bufferSize = 64 << 10 // bytes a file that is open
)

// writer writes the files of one task. After an error it is of no use: the
// host opens another one with the last token.
type writer struct {
	s        *Sink
	task     int
	gen      uint64
	next     uint64           // sequence of the next rolled file
	parts    map[string]*part // the one written to, by directory
	open     []*part          // those with a handle, the last used one last
	sealed   []*part          // since the last Prepare or promised by it, not yet renamed
	promised int              // how many of sealed the last token holds
	newDirs  map[string]bool  // directories with new names that are not durable
	renamed  map[string]bool  // directories with renames that are not durable
	token    []byte           // the last one
	changed  bool             // since token
	err      error
	rec      record.Record
}

func newWriter(s *Sink, w plugins.Writer, t token, tok []byte) *writer {
	r := &writer{s: s, task: w.Task, gen: w.Generation, next: t.next, parts: map[string]*part{}, newDirs: map[string]bool{}, renamed: map[string]bool{}, token: tok}
	for _, f := range t.files {
		if f.sealed {
			continue // renamed by recovery
		}
		dir, _ := split(f.path)
		r.parts[dir] = &part{dir: dir, path: f.path, length: f.length, opened: f.opened, columns: f.columns}
	}
	return r
}

// Write implements plugins.SinkWriter.
func (w *writer) Write(ctx context.Context, b *wire.Batch) error {
	if w.err != nil {
		return w.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	recs := b.Records
	for range b.Count {
		recs = wire.Next(recs, &w.rec)
		if err := w.write(&w.rec); err != nil {
			w.err = err
			return err
		}
	}
	return nil
}

func (w *writer) write(r *record.Record) error {
	dir := "."
	if w.s.o.PartitionBy != "" {
		dir = directory(r.Value, w.s.o.PartitionBy)
	}
	p, err := w.part(dir)
	if err != nil {
		return err
	}
	before := len(p.buf)
	switch w.s.o.Format {
	case TextLines:
		p.buf = AppendLine(p.buf, r)
	case CSV:
		if p.buf, p.columns, err = appendCSV(p.buf, r, p.columns); err != nil {
			return &plugins.Error{Class: plugins.User, Err: w.s.fail(p.path, err)}
		}
	default:
		p.buf = AppendJSONL(p.buf, r)
	}
	p.length += int64(len(p.buf) - before)
	p.dirty, w.changed = true, true
	if len(p.buf) >= bufferSize {
		if err := w.flush(p); err != nil {
			return err
		}
	}
	if roll := w.s.o.Roll; roll != nil && roll.Size > 0 && p.length >= roll.Size {
		return w.seal(p)
	}
	return nil
}

// part returns the file of dir that is written to, with a handle and buffer.
func (w *writer) part(dir string) (*part, error) {
	p := w.parts[dir]
	if p == nil {
		p = w.newPart(dir)
	}
	if last := len(w.open) - 1; last >= 0 && w.open[last] == p {
		return p, nil
	}
	if p.file != nil {
		i := slices.Index(w.open, p)
		w.open = append(slices.Delete(w.open, i, i+1), p)
		return p, nil
	}
	if len(w.open) >= maxOpen {
		if err := w.release(w.open[0]); err != nil {
			return nil, err
		}
	}
	f, err := w.s.disk.Open(p.path)
	if err != nil {
		return nil, w.s.fail(p.path, err)
	}
	p.file = f
	w.open = append(w.open, p)
	return p, nil
}

func (w *writer) newPart(dir string) *part {
	n := name{dir: dir, task: w.task, ext: w.s.o.Format.ext()}
	if w.s.o.Roll != nil {
		n.rolled, n.temporary, n.sequence, n.generation = true, true, w.next, w.gen
		w.next++
	}
	p := &part{dir: dir, path: n.String(), opened: w.s.o.Now().UnixMilli()}
	w.parts[dir] = p
	w.newDirs[dir] = true
	if dir != "." {
		w.newDirs["."] = true
	}
	return p
}

// Finalise implements plugins.SinkWriter: the sealed files get their names.
func (w *writer) Finalise(context.Context) error {
	if w.err != nil {
		return w.err
	}
	for w.promised > 0 {
		p := w.sealed[0]
		err := w.s.disk.Rename(p.path, p.final(w.s.o.Format.ext()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // gone: it was renamed before
			return w.s.fail(p.path, err)
		}
		w.renamed[p.dir] = true
		w.sealed, w.promised = w.sealed[1:], w.promised-1
	}
	if err := w.s.syncDirs(w.renamed); err != nil {
		return err
	}
	clear(w.renamed)
	return nil
}

// Close implements plugins.SinkWriter. What was not prepared is lost, as it must be.
func (w *writer) Close() error {
	var errs []error
	for _, p := range w.open {
		errs = append(errs, p.file.Close())
		p.file = nil
	}
	w.open = nil
	if w.err == nil {
		w.err = errors.New("file sink: the writer is closed")
	}
	return errors.Join(errs...)
}
