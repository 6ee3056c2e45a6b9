package epoch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
)

// Checkpoint reads what the commits left in a store.
type Checkpoint struct{ Store state.Reader }

func (c Checkpoint) meta(name string) ([]byte, bool, error) {
	return c.Store.Get(metaKey(name), nil)
}

// number returns the value of a row that is a u64, 0 if there is none.
func (c Checkpoint) number(key []byte) (uint64, error) {
	v, err := c.get(key)
	if v == nil {
		return 0, err
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("epoch: row %q has %d bytes, not 8", key, len(v))
	}
	return be.Uint64(v), nil
}

// Facts fills in what the store knows.
func (c Checkpoint) Facts() (Facts, error) {
	var f Facts
	v, ok, err := c.meta(metaFormat)
	if err != nil || !ok {
		return f, err
	}
	f.Exists = true
	if len(v) == 1 {
		f.Format = int(v[0])
	}
	if v, ok, err = c.meta(metaIdentity); err != nil {
		return f, err
	}
	if ok {
		if err := json.Unmarshal(v, &f.Identity); err != nil {
			return f, fmt.Errorf("epoch: identity row: %w", err)
		}
	}
	if f.Epoch, err = c.Epoch(); err != nil {
		return f, err
	}
	if _, f.Finished, err = c.meta(metaFinished); err != nil {
		return f, err
	}
	f.Clean, err = c.Clean()
	return f, err
}

// Epoch is the number of the last commit, 0 before the first.
func (c Checkpoint) Epoch() (uint64, error) { return c.number(metaKey(metaEpoch)) }

// Clean tells whether the last commit was finalised before its run ended.
func (c Checkpoint) Clean() (bool, error) {
	n, err := c.number(metaKey(metaClean))
	if err != nil {
		return false, err
	}
	e, err := c.Epoch()
	return n == e && e > 0, err
}

// Open writes what every run writes first: format, identity and the next
// generation, which it returns.
func Open(s state.Store, identity map[string]string) (generation uint64, err error) {
	c := Checkpoint{s}
	if generation, err = c.number(metaKey(metaGeneration)); err != nil {
		return 0, err
	}
	generation++
	id, err := json.Marshal(identity)
	if err != nil {
		return 0, err
	}
	b := s.NewBatch()
	defer b.Close()
	err = errors.Join(
		b.Set(metaKey(metaFormat), []byte{Format}),
		b.Set(metaKey(metaGeneration), be.AppendUint64(nil, generation)),
		b.Set(metaKey(metaIdentity), id),
	)
	if err != nil {
		return 0, err
	}
	return generation, b.Commit(true)
}

// Drop removes every row.
func Drop(s state.Store) error {
	b := s.NewBatch()
	defer b.Close()
	if err := b.DeleteRange([]byte{0}, []byte{0xff}); err != nil {
		return err
	}
	return b.Commit(true)
}

// get returns the value of a row, nil if there is none.
func (c Checkpoint) get(key []byte) ([]byte, error) {
	v, ok, err := c.Store.Get(key, nil)
	if !ok {
		return nil, err
	}
	if v == nil {
		v = []byte{}
	}
	return v, err
}

// Token returns the token of a sink's writer, nil before its first commit.
func (c Checkpoint) Token(sink, writer int) ([]byte, error) { return c.get(TokenKey(sink, writer)) }

// Ended tells whether a task has ended.
func (c Checkpoint) Ended(task int) (bool, error) {
	v, err := c.get(EndedKey(task))
	return v != nil, err
}

// Started tells whether a source's discovery has begun.
func (c Checkpoint) Started(source int) (bool, error) {
	v, err := c.get(StartedKey(source))
	return v != nil, err
}

// Counts returns the counts of a task.
func (c Checkpoint) Counts(task int) (Counts, error) {
	v, err := c.get(CountKey(task))
	if v == nil {
		return Counts{}, err
	}
	return ParseCounts(v)
}

// End returns how far the end of a step and partition has come.
func (c Checkpoint) End(stage, partition, step int) (End, error) {
	v, err := c.get(EndKey(stage, partition, step))
	if v == nil {
		return End{}, err
	}
	return ParseEnd(v)
}

// Next returns the next position of a partition behind an exchange.
func (c Checkpoint) Next(stage, partition int) (int64, error) {
	n, err := c.number(NextKey(stage, partition))
	return int64(n), err
}

// Splits returns the splits of a source that are not read to their end.
func (c Checkpoint) Splits(source int) ([]Split, error) {
	var splits []Split
	err := c.scan(sourceKey(kindSplit, source, nil), func(k, v []byte) error {
		s, err := ParseSplit(k, v)
		splits = append(splits, s)
		return err
	})
	return splits, err
}

// Faults returns the parts of a source that could not be read.
func (c Checkpoint) Faults(source int) ([]*plugins.Fault, error) {
	var faults []*plugins.Fault
	err := c.scan(sourceKey(kindFault, source, nil), func(k, v []byte) error {
		kind, path, _ := bytes.Cut(k[3:], []byte{0})
		faults = append(faults, &plugins.Fault{Kind: plugins.FaultKind(kind), Path: string(path), Err: errors.New(string(v))})
		return nil
	})
	return faults, err
}

// Waiting yields the items of a source that wait to be discovered. A failed
// read is left in *err.
func (c Checkpoint) Waiting(source int, err *error) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		stop := errors.New("stop")
		e := c.scan(sourceKey(kindWaiting, source, nil), func(k, v []byte) error {
			if !yield(bytes.Clone(k[3:]), bytes.Clone(v)) {
				return stop
			}
			return nil
		})
		if !errors.Is(e, stop) {
			*err = e
		}
	}
}

func (c Checkpoint) scan(prefix []byte, row func(k, v []byte) error) (err error) {
	it, err := c.Store.Iterate(prefix, behind(bytes.Clone(prefix)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for it.Next() {
		if err := row(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	return it.Err()
}
