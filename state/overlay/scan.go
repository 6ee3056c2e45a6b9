package overlay

import (
	"bytes"
	"errors"

	"github.com/wasmill/wasmill/state"
)

// ErrStale ends a Scan that is used after a write.
var ErrStale = errors.New("overlay: the scan is older than a write: start another behind its last key")

// Scan walks over the keys of a range in order: the open delta over the
// sealed one over the store as it was when Scan was called. It is good until
// the next Put, Delete, Undo, Seal or Committed; after that it ends with
// ErrStale. Get may be called between its steps. A scan does not enter the
// cache.
type Scan struct {
	o      *Overlay
	writes uint64
	layers []layer // a layer hides those behind it
	db     state.Iterator
	dbOn   bool // db stands on a key
	dbEnd  bool // db has no more keys
	dbUsed bool // db stands on the key of this step or one that it hides
	key    []byte
	value  []byte
	err    error
}

var _ state.Iterator = (*Scan)(nil)

// layer is a sorted run of a delta.
type layer struct {
	d    *Delta
	ids  []uint32
	pos  int
	used bool // pos is the key of this step or one that it hides
}

// Scan returns a Scan of the keys in [lower, upper); a nil bound is open. It
// must be closed.
func (o *Overlay) Scan(lower, upper []byte) (*Scan, error) {
	db, err := o.db.Iterate(lower, upper)
	if err != nil {
		return nil, err
	}
	s := &Scan{o: o, writes: o.writes, db: db}
	for _, run := range o.open.view() {
		s.add(o.open, run, lower, upper)
	}
	if o.sealed != nil {
		s.add(o.sealed, o.sealed.sorted(), lower, upper)
	}
	return s, nil
}

func (s *Scan) add(d *Delta, ids []uint32, lower, upper []byte) {
	if upper != nil {
		ids = ids[:d.seek(ids, upper)]
	}
	ids = ids[d.seek(ids, lower):]
	if len(ids) > 0 {
		s.layers = append(s.layers, layer{d: d, ids: ids})
	}
}

// Next moves to the next key and reports whether there is one.
func (s *Scan) Next() bool {
	for s.step() {
		if s.value != nil {
			return true
		}
	}
	return false
}

// SeekGE moves to the first key of the range that is not below key.
func (s *Scan) SeekGE(key []byte) bool {
	if !s.good() {
		return false
	}
	for i := range s.layers {
		l := &s.layers[i]
		l.pos, l.used = l.d.seek(l.ids, key), false
	}
	s.dbOn = s.db.SeekGE(key)
	s.dbEnd, s.dbUsed = !s.dbOn, false
	return s.Next()
}

// step moves to the next key of any layer; value is nil if it is deleted.
func (s *Scan) step() bool {
	s.key, s.value = nil, nil
	if !s.good() {
		return false
	}
	if s.dbUsed || !s.dbOn && !s.dbEnd {
		s.dbOn = s.db.Next()
		s.dbEnd, s.dbUsed = !s.dbOn, false
	}
	if s.dbEnd {
		if s.err = s.db.Err(); s.err != nil {
			return false
		}
	}
	var key, value []byte
	for i := range s.layers {
		l := &s.layers[i]
		if l.used {
			l.pos++
			l.used = false
		}
		if l.pos == len(l.ids) {
			continue
		}
		r := l.d.record(l.ids[l.pos])
		if k := recKey(r); key == nil || bytes.Compare(k, key) < 0 {
			key, value = k, recValue(r)
		}
	}
	if s.dbOn {
		if k := notNil(s.db.Key()); key == nil || bytes.Compare(k, key) < 0 {
			key, value = k, notNil(s.db.Value())
		}
	}
	if key == nil {
		return false
	}
	for i := range s.layers {
		l := &s.layers[i]
		l.used = l.pos < len(l.ids) && bytes.Equal(l.d.key(l.ids[l.pos]), key)
	}
	s.dbUsed = s.dbOn && bytes.Equal(s.db.Key(), key)
	s.key, s.value = key, value
	return true
}

func (s *Scan) good() bool {
	if s.err == nil && s.writes != s.o.writes {
		s.err = ErrStale
	}
	return s.err == nil
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Key and Value are views that are good until the next move.
func (s *Scan) Key() []byte   { return s.key }
func (s *Scan) Value() []byte { return s.value }

// Err returns the error that ended the walk, nil at its regular end.
func (s *Scan) Err() error { return s.err }

// Close frees the scan.
func (s *Scan) Close() error { return s.db.Close() }
