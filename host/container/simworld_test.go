package container_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// item is a record as the simulation sees it.
type item struct {
	split string // where it began
	index int    // in its split
	path  string // the steps it came through
	key   string
	value string
}

func (r item) encode() string {
	return strings.Join([]string{r.split, strconv.Itoa(r.index), r.path, r.value}, "|")
}

func decode(key, value []byte) item {
	f := strings.SplitN(string(value), "|", 4)
	n, _ := strconv.Atoi(f[1])
	return item{split: f[0], index: n, path: f[2], key: string(key), value: f[3]}
}

// tree is what a source holds: directories in directories, splits in them.
type tree struct {
	name   string
	dirs   []*tree
	splits []*simSplit
}

type simSplit struct {
	id      string
	records []item
	large   map[int]bool // records that the source cannot hand on
	broken  int          // the split ends here with a fault; -1 = it does not
}

func (t *tree) find(name string) *tree {
	if t.name == name {
		return t
	}
	for _, d := range t.dirs {
		if f := d.find(name); f != nil {
			return f
		}
	}
	return nil
}

func (t *tree) all(yield func(*simSplit) bool) bool {
	for _, s := range t.splits {
		if !yield(s) {
			return false
		}
	}
	for _, d := range t.dirs {
		if !d.all(yield) {
			return false
		}
	}
	return true
}

func (t *tree) each() iter.Seq[*simSplit] { return func(yield func(*simSplit) bool) { t.all(yield) } }

// simSource is a source over a tree.
type simSource struct {
	root  *tree
	rng   *rand.Rand // of batch sizes
	yield func()
	num   int
}

func (s *simSource) Close() error { return nil }

func (s *simSource) Enumerate(_ context.Context, started bool, waiting iter.Seq2[[]byte, []byte]) (plugins.Enumerator, error) {
	e := &simEnumerator{s: s}
	if !started {
		e.queue = []string{s.root.name}
	}
	for k, v := range waiting {
		e.queue = append(e.queue, string(k))
		if string(v) != "dir" {
			return nil, fmt.Errorf("waiting item %q holds %q", k, v)
		}
	}
	return e, nil
}

type simEnumerator struct {
	s     *simSource
	queue []string
}

func (e *simEnumerator) Close() error { return nil }

func (e *simEnumerator) Next(ctx context.Context) (*plugins.Discovery, error) {
	e.s.yield()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(e.queue) == 0 {
		return nil, io.EOF
	}
	t := e.s.root.find(e.queue[0])
	e.queue = e.queue[1:]
	d := &plugins.Discovery{Done: [][]byte{[]byte(t.name)}}
	for _, c := range t.dirs {
		d.Waiting = append(d.Waiting, plugins.Item{Key: []byte(c.name), Value: []byte("dir")})
		e.queue = append(e.queue, c.name)
	}
	for _, sp := range t.splits {
		d.Splits = append(d.Splits, plugins.Split{ID: []byte(sp.id), Partition: record.Partition{Name: sp.id, Number: uint32(len(sp.id))}, Spec: []byte("spec")})
	}
	return d, nil
}

func (s *simSource) Open(_ context.Context, split plugins.Split, pos record.Position) (plugins.Reader, error) {
	for sp := range s.root.each() {
		if sp.id == string(split.ID) {
			return &simReader{s: s, split: sp, at: int(pos)}, nil
		}
	}
	return nil, fmt.Errorf("no split %q", split.ID)
}

type simReader struct {
	s     *simSource
	split *simSplit
	at    int
}

func (r *simReader) Close() error { return nil }

func (r *simReader) Read(_ context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	n := 1 + r.s.rng.IntN(limit.Records)
	for range n {
		switch {
		case r.at == r.split.broken:
			return record.Position(r.at), &plugins.Fault{Kind: plugins.Corrupt, Path: r.split.id, Err: errors.New("broken")}
		case r.at == len(r.split.records):
			return record.Position(r.at), io.EOF
		case r.split.large[r.at] && b.Count > 0:
			return record.Position(r.at), nil
		case r.split.large[r.at]:
			at := record.Position(r.at)
			r.at++
			return at, &plugins.RecordError{Code: "too_large", Position: at, Next: at + 1, Value: []byte(r.split.records[at].encode()), Err: errors.New("too large")}
		}
		it := r.split.records[r.at]
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(r.at), Key: []byte(it.key), Value: []byte(it.encode())})
		r.at++
	}
	return record.Position(r.at), nil
}

// simSink is a sink whose files outlive a crash. By append it writes at once
// and recovery truncates; by rename it writes parts that Finalise makes visible.
type simSink struct {
	rename  bool
	files   map[int][]item          // visible, by writer
	parts   map[int]map[int][]item  // by writer and number, not visible
	renamed map[int]map[int]bool    // parts that were made visible
	fail    func(what string) error // a fault of the medium
}

func newSimSink(rename bool) *simSink {
	return &simSink{rename: rename, files: map[int][]item{}, parts: map[int]map[int][]item{}, renamed: map[int]map[int]bool{}}
}

func (s *simSink) Delivery() plugins.Delivery { return plugins.TwoPhase }
func (s *simSink) Drop(context.Context) error { return nil }
func (s *simSink) Close() error               { return nil }

func (s *simSink) Open(_ context.Context, w plugins.Writer, token []byte, finalised bool) (plugins.SinkWriter, error) {
	var committed int
	if token != nil {
		committed = int(binary.LittleEndian.Uint64(token))
	}
	wr := &simWriter{s: s, n: w.Task, seq: committed}
	if s.parts[w.Task] == nil {
		s.parts[w.Task], s.renamed[w.Task] = map[int][]item{}, map[int]bool{}
	}
	if !s.rename {
		if len(s.files[w.Task]) < committed {
			return nil, fmt.Errorf("writer %d lost %d committed records", w.Task, committed-len(s.files[w.Task]))
		}
		s.files[w.Task] = s.files[w.Task][:committed]
		return wr, nil
	}
	for n := range s.parts[w.Task] {
		if n > committed {
			delete(s.parts[w.Task], n)
		}
	}
	if finalised && len(s.parts[w.Task]) > 0 {
		return nil, fmt.Errorf("writer %d was said to be finalised and is not", w.Task)
	}
	return wr, wr.Finalise(context.Background())
}

type simWriter struct {
	s   *simSink
	n   int
	seq int // parts prepared so far; by append: records
	buf []item
}

func (w *simWriter) Write(_ context.Context, b *wire.Batch) error {
	if err := w.s.fail("write"); err != nil {
		return err
	}
	var rec record.Record
	for rest := b.Records; len(rest) > 0; {
		rest = wire.Next(rest, &rec)
		it := decode(rec.Key, rec.Value)
		if class, ok := rec.Headers.Get("wasmill-error-class"); ok {
			it.path += "!" + string(class)
			if why, _ := rec.Headers.Get("wasmill-error"); string(class) == "abi" && !strings.Contains(string(why), "magic") {
				return fmt.Errorf("a step broke the ABI: %s", why)
			}
		}
		w.buf = append(w.buf, it)
	}
	if !w.s.rename {
		w.s.files[w.n] = append(w.s.files[w.n], w.buf...)
		w.seq += len(w.buf)
		w.buf = nil
	}
	return nil
}

func (w *simWriter) Prepare(context.Context, bool) ([]byte, error) {
	if err := w.s.fail("prepare"); err != nil {
		return nil, err
	}
	if w.s.rename && len(w.buf) > 0 {
		w.seq++
		if w.s.renamed[w.n][w.seq] {
			return nil, fmt.Errorf("part %d of writer %d is visible already", w.seq, w.n)
		}
		w.s.parts[w.n][w.seq] = w.buf
		w.buf = nil
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(w.seq)), nil
}

func (w *simWriter) Finalise(context.Context) error {
	if err := w.s.fail("finalise"); err != nil {
		return err
	}
	if !w.s.rename {
		return nil
	}
	var ready []int
	for n := range w.s.parts[w.n] {
		ready = append(ready, n)
	}
	slices.Sort(ready)
	for _, n := range ready {
		w.s.files[w.n] = append(w.s.files[w.n], w.s.parts[w.n][n]...)
		delete(w.s.parts[w.n], n)
		w.s.renamed[w.n][n] = true
	}
	return nil
}

func (w *simWriter) Close() error { return nil }
