package container_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// item is a record as the simulation sees it. Its value is JSON, in which a
// pointer finds alt.
type item struct {
	split string // where it began
	index int    // in its split
	path  string // the steps it came through
	key   string // "" = null
	alt   string // another key, as JSON; "" = missing
	value string
}

func (r item) encode() string {
	alt := ""
	if r.alt != "" {
		alt = `"alt":` + r.alt + `,`
	}
	return `{` + alt + `"is":"` + r.split + "|" + strconv.Itoa(r.index) + "|" + r.path + "|" + r.value + `"}`
}

func decode(key, value []byte) item {
	alt, is, _ := strings.Cut(string(value[1:len(value)-2]), `"is":"`)
	f := strings.SplitN(is, "|", 4)
	n, _ := strconv.Atoi(f[1])
	if alt != "" {
		alt = alt[len(`"alt":`) : len(alt)-1]
	}
	return item{split: f[0], index: n, path: f[2], key: string(key), alt: alt, value: f[3]}
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
		case r.split.large[r.at] && b.Count > 0 && r.s.rng.IntN(2) == 0:
			return record.Position(r.at), nil
		case r.split.large[r.at]:
			at := record.Position(r.at)
			r.at++
			return at, &plugins.RecordError{Code: "too_large", Position: at, Next: at + 1, Value: []byte(r.split.records[at].encode()), Err: errors.New("too large")}
		}
		it := r.split.records[r.at]
		rec := record.Record{Time: record.NoTime, Position: record.Position(r.at), Value: []byte(it.encode())}
		if it.key != "" {
			rec.Key = []byte(it.key)
		}
		b.Add(&rec)
		r.at++
	}
	return record.Position(r.at), nil
}
