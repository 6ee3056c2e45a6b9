package walk

import (
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
	"github.com/wasmill/wasmill/traversal"
)

// maxEntriesSpec bounds the entries in one split, in bytes.
const maxEntriesSpec = 64 << 10

// totals are what this run found so far.
type totals struct {
	mu           sync.Mutex
	files, bytes int64            // mu; wanted files
	handled      map[string]int64 // mu; of directories that go on: entries handed on
}

// discover turns a page of a directory into the step that replaces the
// directory by what is in it.
func (e *enumerator) discover(p *traversal.Page) (*plugins.Discovery, error) {
	d := &plugins.Discovery{}
	dir := p.Item.Dir
	if p.Err != nil {
		err := fault(dir, p.Err)
		f, ok := err.(*plugins.Fault)
		if !ok {
			return nil, err
		}
		d.Faults = append(d.Faults, f)
	}
	first := e.handled(dir)
	b := &splits{s: e.s, t: e.t, d: d, dir: dir, next: first}
	for i := range p.Entries {
		b.add(&p.Entries[i])
	}
	b.flush()
	for _, sub := range p.Dirs {
		d.Waiting = append(d.Waiting, plugins.Item{Key: []byte(sub), Value: new(waiting).append(nil)})
	}
	if p.More {
		w := waiting{after: p.Next().After, handled: b.next}
		d.Waiting = append(d.Waiting, plugins.Item{Key: []byte(dir), Value: w.append(nil)})
	} else {
		d.Done = append(d.Done, []byte(dir))
	}
	e.add(dir, p.More, b)
	return d, nil
}

func (e *enumerator) handled(dir string) int64 {
	e.totals.mu.Lock()
	defer e.totals.mu.Unlock()
	return e.totals.handled[dir]
}

func (e *enumerator) add(dir string, more bool, b *splits) {
	e.totals.mu.Lock()
	defer e.totals.mu.Unlock()
	e.totals.files += b.files
	e.totals.bytes += b.bytes
	if more {
		e.totals.handled[dir] = b.next
	} else {
		delete(e.totals.handled, dir)
	}
}

// progress tells the totals, in order.
func (e *enumerator) progress(done bool) {
	if e.s.env.Progress == nil {
		return
	}
	e.totals.mu.Lock()
	defer e.totals.mu.Unlock()
	e.s.env.Progress(plugins.Progress{
		Files: e.totals.files, Dirs: e.counts.Dirs.Load(), Bytes: e.totals.bytes,
		Skipped: e.skipped(), Done: done,
	})
}

// splits collects the splits of one page. They share one buffer.
type splits struct {
	s            *Source
	t            traversal.FS
	d            *plugins.Discovery
	dir          string
	buf          []byte
	files, bytes int64
	next         int64 // position of the next entry
	spec         []byte
	specFirst    int64
}

func (b *splits) add(e *traversal.Entry) {
	path := traversal.Join(b.dir, e.Name)
	entries := b.s.o.Records == Entries
	if !entries && e.Kind != traversal.KindFile || !b.s.match.want(path) {
		return
	}
	switch {
	case e.Err != nil && traversal.ClassOf(e.Err) == traversal.Vanished:
		return // gone between two calls of one listing: as if it had not been there
	case e.Err != nil:
		b.d.Faults = append(b.d.Faults, faultOf(path, e.Err))
		return
	}
	if e.Kind == traversal.KindFile {
		b.files++
		b.bytes += e.Size
	}
	if entries {
		b.entry(e)
		return
	}
	b.file(path, e)
}

// file adds the splits of one file. A big file of lines is cut, unless it is
// compressed; an empty file has no record but as a whole.
func (b *splits) file(path string, e *traversal.Entry) {
	spec := fileSpec{path: path, size: e.Size, modTime: e.ModTime, end: e.Size, auto: b.s.o.Auto}
	if e.Size == 0 && b.s.o.Records != Whole {
		return
	}
	cut := b.s.o.Records == Lines || b.s.o.Records == JSONL
	if !cut || e.Size <= b.s.o.Split || spec.auto && b.compressed(path) {
		b.split(&spec)
		return
	}
	spec.auto = false
	for start := int64(0); start < e.Size; start = spec.end {
		spec.start, spec.end = start, min(start+b.s.o.Split, e.Size)
		if e.Size-spec.end < b.s.o.Split/2 {
			spec.end = e.Size // rather a longer last split than a tiny one
		}
		b.split(&spec)
	}
}

// compressed looks into a big file. One that cannot be read stays in one
// piece: its reader will say why.
func (b *splits) compressed(path string) bool {
	f, _, err := b.t.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	var head [4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return true
	}
	return read.Compressed(head[:])
}

func (b *splits) split(spec *fileSpec) {
	n := len(b.buf)
	b.buf = appendID(b.buf, spec.path, spec.start)
	id := b.buf[n:len(b.buf):len(b.buf)]
	n = len(b.buf)
	b.buf = spec.append(b.buf)
	b.d.Splits = append(b.d.Splits, plugins.Split{
		ID: id, Partition: partition(spec.path), Start: record.Position(spec.start),
		Spec: b.buf[n:len(b.buf):len(b.buf)], Bytes: spec.end - spec.start,
	})
}

func (b *splits) entry(e *traversal.Entry) {
	if len(b.spec)+len(e.Name) > maxEntriesSpec-64 {
		b.flush()
	}
	if b.spec == nil {
		b.specFirst = b.next
		b.spec = appendEntriesHead(nil, b.dir, b.next)
	}
	b.spec = appendEntry(b.spec, e)
	b.next++
}

// flush ends a split of entries.
func (b *splits) flush() {
	if b.spec == nil {
		return
	}
	b.d.Splits = append(b.d.Splits, plugins.Split{
		ID: appendID(nil, b.dir, b.specFirst), Partition: partition(b.dir), Start: record.Position(b.specFirst),
		Spec: b.spec, Bytes: int64(len(b.spec)),
	})
	b.spec = nil
}

// skipped counts what is not read for its kind; entries leave nothing out.
func (e *enumerator) skipped() int64 {
	if e.s.o.Records == Entries {
		return 0
	}
	return e.counts.Symlinks.Load() + e.counts.Others.Load()
}
