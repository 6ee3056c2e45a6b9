// Package epoch holds what happens between two commits: the deltas that
// tasks seal, the order of the commit, the rows it leaves in the store, and
// the decision what to do with what a run finds there.
package epoch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins"
)

// Format is the version of the rows. state/FORMAT.md describes them.
const Format = 1

// The first byte of a key says what kind of row it is.
const (
	kindMeta    = 0x01 // name -> value
	kindWaiting = 0x02 // source u16, item's key -> item's value
	kindSplit   = 0x03 // source u16, split's id -> split and position
	kindEnd     = 0x04 // stage u16, partition u32, step u16 -> end progress
	kindNext    = 0x05 // stage u16, partition u32 -> next position of the exchange's partition
	kindToken   = 0x06 // sink u16, writer u32 -> the sink's token
	kindFault   = 0x07 // source u16, kind, path -> text
	kindEnded   = 0x08 // task u32 -> 0x01: the task has ended
	kindCount   = 0x09 // task u32 -> counts of the task
	kindStarted = 0x0a // source u16 -> 0x01: the first discovery is in the store
	kindState   = 0x20 // store u16, partition u32, user's key -> user's value
)

// The names of the meta rows.
const (
	metaFormat     = "format"
	metaIdentity   = "identity"
	metaEpoch      = "epoch"
	metaFinished   = "finished"
	metaClean      = "clean"
	metaGeneration = "generation"
)

var be = binary.BigEndian

func metaKey(name string) []byte { return append([]byte{kindMeta}, name...) }

func sourceKey(kind byte, source int, key []byte) []byte {
	k := be.AppendUint16([]byte{kind}, uint16(source))
	return append(k, key...)
}

// WaitingKey is the key of an item that waits to be discovered.
func WaitingKey(source int, key []byte) []byte { return sourceKey(kindWaiting, source, key) }

// StartedKey is the key that exists once a source's discovery has begun.
func StartedKey(source int) []byte { return sourceKey(kindStarted, source, nil) }

// SplitKey is the key of a split that is not yet read to its end.
func SplitKey(source int, id []byte) []byte { return sourceKey(kindSplit, source, id) }

// FaultKey is the key of a part of a source that could not be read.
func FaultKey(source int, f *plugins.Fault) []byte {
	return sourceKey(kindFault, source, []byte(string(f.Kind)+"\x00"+f.Path))
}

// EndKey is the key of how far the end of one step and partition has come.
func EndKey(stage, partition, step int) []byte {
	k := be.AppendUint16([]byte{kindEnd}, uint16(stage))
	k = be.AppendUint32(k, uint32(partition))
	return be.AppendUint16(k, uint16(step))
}

// NextKey is the key of the next position of a partition behind an exchange.
func NextKey(stage, partition int) []byte {
	k := be.AppendUint16([]byte{kindNext}, uint16(stage))
	return be.AppendUint32(k, uint32(partition))
}

// TokenKey is the key of the token of one writer of a sink.
func TokenKey(sink, writer int) []byte {
	k := be.AppendUint16([]byte{kindToken}, uint16(sink))
	return be.AppendUint32(k, uint32(writer))
}

// EndedKey is the key that exists once a task has ended.
func EndedKey(task int) []byte { return be.AppendUint32([]byte{kindEnded}, uint32(task)) }

// CountKey is the key of a task's counts.
func CountKey(task int) []byte { return be.AppendUint32([]byte{kindCount}, uint32(task)) }

// StatePrefixLen is the length of what precedes the user's key in a state row.
const StatePrefixLen = 7

// AppendStateKey appends the key of a user's key in a store's partition.
func AppendStateKey(dst []byte, store uint16, partition uint32, key []byte) []byte {
	dst = append(dst, kindState)
	dst = be.AppendUint16(dst, store)
	dst = be.AppendUint32(dst, partition)
	return append(dst, key...)
}

// AppendStateEnd appends the first key behind those of a store's partition.
func AppendStateEnd(dst []byte, store uint16, partition uint32) []byte {
	n := len(dst)
	dst = AppendStateKey(dst, store, partition, nil)
	return dst[:n+len(behind(dst[n:]))]
}

// behind turns prefix, a key's first byte and more, into the first key behind
// all that begin with it.
func behind(prefix []byte) []byte {
	last := len(prefix) - 1
	for prefix[last] == 0xff { // which no kind of row is
		last--
	}
	prefix[last]++
	return prefix[:last+1]
}

// AppendNext encodes a position row.
func AppendNext(dst []byte, next int64) []byte { return be.AppendUint64(dst, uint64(next)) }

// End is how far the end of one step and partition has come.
type End struct {
	Done  bool
	Token []byte // for the next call
}

// AppendEnd encodes e.
func AppendEnd(dst []byte, e End) []byte {
	done := byte(0)
	if e.Done {
		done = 1
	}
	return append(append(dst, done), e.Token...)
}

// ParseEnd decodes what AppendEnd made.
func ParseEnd(b []byte) (End, error) {
	if len(b) < 1 || b[0] > 1 {
		return End{}, errors.New("epoch: bad end row")
	}
	return End{Done: b[0] == 1, Token: b[1:]}, nil
}

// Split is a split and the position from which it is to be read.
type Split struct {
	plugins.Split
	Next record.Position
}

// AppendSplit encodes s but its id, which is in the key.
func AppendSplit(dst []byte, s *Split) []byte {
	dst = be.AppendUint64(dst, uint64(s.Next))
	dst = be.AppendUint64(dst, uint64(s.Start))
	dst = be.AppendUint64(dst, uint64(s.Bytes))
	dst = be.AppendUint32(dst, s.Partition.Number)
	dst = be.AppendUint32(dst, uint32(len(s.Partition.Name)))
	dst = append(dst, s.Partition.Name...)
	return append(dst, s.Spec...)
}

// ParseSplit decodes a split row; key is its key.
func ParseSplit(key, value []byte) (Split, error) {
	const fixed = 32
	if len(key) < 3 || len(value) < fixed {
		return Split{}, fmt.Errorf("epoch: bad split row of %d bytes", len(value))
	}
	n := be.Uint32(value[28:])
	if uint64(n) > uint64(len(value)-fixed) {
		return Split{}, fmt.Errorf("epoch: bad split row: name of %d bytes", n)
	}
	return Split{
		Next: record.Position(be.Uint64(value)),
		Split: plugins.Split{
			ID:        append([]byte(nil), key[3:]...),
			Start:     record.Position(be.Uint64(value[8:])),
			Bytes:     int64(be.Uint64(value[16:])),
			Partition: record.Partition{Number: be.Uint32(value[24:]), Name: string(value[fixed : fixed+n])},
			Spec:      append([]byte(nil), value[fixed+n:]...),
		},
	}, nil
}

// Counts are what a task has done so far, in all runs that committed.
type Counts struct {
	Records, Bytes      int64 // read from a source
	Splits              int64 // read to their end
	Skipped, DeadLetter int64 // records that failed
	Faults              int64 // parts of sources
	Out                 int64 // records to sinks
}

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Records += o.Records
	c.Bytes += o.Bytes
	c.Splits += o.Splits
	c.Skipped += o.Skipped
	c.DeadLetter += o.DeadLetter
	c.Faults += o.Faults
	c.Out += o.Out
}

func (c *Counts) fields() []*int64 {
	return []*int64{&c.Records, &c.Bytes, &c.Splits, &c.Skipped, &c.DeadLetter, &c.Faults, &c.Out}
}

// AppendCounts encodes c.
func AppendCounts(dst []byte, c Counts) []byte {
	for _, f := range c.fields() {
		dst = be.AppendUint64(dst, uint64(*f))
	}
	return dst
}

// ParseCounts decodes what AppendCounts made.
func ParseCounts(b []byte) (Counts, error) {
	var c Counts
	for _, f := range c.fields() {
		if len(b) < 8 {
			return c, errors.New("epoch: bad count row")
		}
		*f, b = int64(be.Uint64(b)), b[8:]
	}
	return c, nil
}
