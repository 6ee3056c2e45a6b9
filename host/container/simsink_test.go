package container_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// way is how a sink of the simulation makes an epoch visible.
type way int

const (
	appends way = iota // writes at once; recovery truncates
	renames            // writes parts that Finalise makes visible
	prints             // keeps the epoch in its token and hands it on in Finalise
	ways
)

// simSink is a sink whose files outlive a crash.
type simSink struct {
	way     way
	files   map[int][]item          // visible, by writer
	parts   map[int]map[int][]item  // by writer and number, not visible
	renamed map[int]map[int]bool    // parts that were made visible
	fail    func(what string) error // a fault of the medium
}

func newSimSink(w way) *simSink {
	return &simSink{way: w, files: map[int][]item{}, parts: map[int]map[int][]item{}, renamed: map[int]map[int]bool{}}
}

func (s *simSink) Drop(context.Context) error { return nil }
func (s *simSink) Close() error               { return nil }

func (s *simSink) Open(_ context.Context, w plugins.Writer, token []byte, finalised bool) (plugins.SinkWriter, error) {
	if err := s.fail("open"); err != nil {
		return nil, err
	}
	wr := &simWriter{s: s, n: w.Task}
	if s.way == prints {
		if !finalised {
			wr.due = token
		}
		return wr, wr.Finalise(context.Background())
	}
	if token != nil {
		wr.seq = int(binary.LittleEndian.Uint64(token))
	}
	if s.parts[w.Task] == nil {
		s.parts[w.Task], s.renamed[w.Task] = map[int][]item{}, map[int]bool{}
	}
	if s.way == appends {
		if len(s.files[w.Task]) < wr.seq {
			return nil, fmt.Errorf("writer %d lost %d committed records", w.Task, wr.seq-len(s.files[w.Task]))
		}
		s.files[w.Task] = s.files[w.Task][:wr.seq]
		return wr, nil
	}
	for n := range s.parts[w.Task] {
		if n > wr.seq {
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
	due []byte // to be printed
}

func (w *simWriter) Write(_ context.Context, b *wire.Batch) error {
	if err := w.s.fail("write"); err != nil {
		return err
	}
	var rec record.Record
	for rest := b.Records; len(rest) > 0; {
		rest = wire.Next(rest, &rec)
		it := decode(rec.Key, rec.Value)
		if err := letter(&it, rec.Headers); err != nil {
			return err
		}
		w.buf = append(w.buf, it)
	}
	if w.s.way == appends {
		w.s.files[w.n] = append(w.s.files[w.n], w.buf...)
		w.seq += len(w.buf)
		w.buf = nil
	}
	return nil
}

// letter marks the path of a dead letter and checks what its headers tell.
func letter(it *item, h record.Headers) error {
	class, dead := h.Get("wasmill-error-class")
	if !dead {
		return nil
	}
	get := func(name string) string { v, _ := h.Get("wasmill-" + name); return string(v) }
	if why := get("error"); string(class) == "abi" && !strings.Contains(why, "magic") {
		return fmt.Errorf("a step broke the ABI: %s", why)
	}
	at, _ := strconv.Atoi(get("position"))
	if it.split != "count" && it.split != "end" && get("aggregate") == "" && (get("partition") != it.split || at != it.index) {
		return fmt.Errorf("dead letter %+v says that it comes from %s at %d", *it, get("partition"), at)
	}
	it.path += "!" + string(class)
	return nil
}

func (w *simWriter) Prepare(context.Context, bool) ([]byte, error) {
	if err := w.s.fail("prepare"); err != nil {
		return nil, err
	}
	switch {
	case w.s.way == prints:
		w.due = []byte{}
		for _, it := range w.buf {
			w.due = fmt.Appendf(w.due, "%s\t%s\n", it.key, it.encode())
		}
		w.buf = nil
		return w.due, nil
	case w.s.way == renames && len(w.buf) > 0:
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
	for line := range strings.Lines(string(w.due)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		w.s.files[w.n] = append(w.s.files[w.n], decode([]byte(key), []byte(value)))
	}
	w.due = nil
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
