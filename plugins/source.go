package plugins

import (
	"context"
	"iter"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// A Source discovers splits and reads batches from a split at a position.
//
// The host calls Enumerate once a run, on a goroutine of its own, and Open
// from the goroutines of its tasks; a Source is safe for such use. After
// Close, which comes last, nothing is called.
type Source interface {
	// Enumerate starts or continues discovery. waiting yields the items that
	// the last checkpoint holds, in key order; started tells whether there was
	// one, so that nothing waiting means "all discovered".
	Enumerate(ctx context.Context, started bool, waiting iter.Seq2[[]byte, []byte]) (Enumerator, error)

	// Open returns a reader of split that begins at pos, which is either
	// split.Start or what a reader of the same split returned as next. An
	// error that is a *Fault ends the split, any other the run.
	Open(ctx context.Context, split Split, pos record.Position) (Reader, error)

	Close() error
}

// Split is a part of a source that one task reads at a time.
type Split struct {
	ID        []byte           // unique in the source; the key of its row in the checkpoint
	Partition record.Partition // of its records
	Start     record.Position  // of its first record
	Spec      []byte           // what Open needs to find it again; opaque to the host
	Bytes     int64            // about how much there is to read, for progress; 0 = unknown
}

// An Enumerator finds splits. It is used by one goroutine.
type Enumerator interface {
	// Next blocks until something was discovered; it returns io.EOF when a
	// bounded source has nothing more, and ctx's error when that ends. The
	// discovery is the caller's.
	Next(ctx context.Context) (*Discovery, error)

	// Close stops and waits for whatever works behind Next.
	Close() error
}

// Discovery is one indivisible step of discovery: in a checkpoint there is
// either all of it or nothing.
type Discovery struct {
	Done    [][]byte // keys of waiting items that are dealt with
	Waiting []Item   // items added or replaced, dealt with later
	Splits  []Split  // to be read
	Faults  []*Fault // what could not be discovered
}

// Item is something that waits to be discovered, such as a directory.
type Item struct{ Key, Value []byte }

// A Reader reads one split. It is used by one goroutine at a time.
type Reader interface {
	// Read appends records to b, up to about limit, and returns the position
	// behind the last one: the next Read goes on there. io.EOF may come with
	// the last records or after them. b.Partition is set by the caller.
	//
	// An error of type *RecordError stands for one record that cannot be
	// handed on: Read goes on behind it. A *Fault ends the split with what
	// was read so far. Any other error ends the run.
	Read(ctx context.Context, b *wire.Batch, limit Limit) (next record.Position, err error)

	Close() error
}

// Limit bounds a batch. A reader stops at whichever is reached first but
// always hands on one record.
type Limit struct {
	Records int // default 1,024
	Bytes   int // default 256 KiB
	Record  int // longest record in bytes, default 1 MiB; a longer one is a *RecordError with code too_large
}
