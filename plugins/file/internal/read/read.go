// Package read turns the bytes of a file into records: the formats lines,
// jsonl, csv and whole, plain or compressed, from any position on.
package read

import (
	"context"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/traversal"
)

// Format is a way to cut bytes into records.
type Format uint8

// The formats.
const (
	// Lines gives a record for each line: the value is the line without its
	// \n or \r\n, the key is null. What follows the last \n is a line if it
	// has a byte at least.
	Lines Format = iota
	// JSONL is Lines without the blank ones; a line that is not valid JSON is
	// a *plugins.RecordError with code bad_json.
	JSONL
	// CSV reads RFC 4180 with a header row. A value is a JSON object of
	// strings in the order of the columns.
	CSV
	// Whole gives one record: the content under the file's path as its key.
	// Its position is 0, the one behind it 1.
	Whole
)

// Options say what to read.
type Options struct {
	Path    string // for faults and for the key of Whole
	Format  Format
	Auto    bool  // recognise gzip and zstd by their first bytes; only with Start 0
	Size    int64 // bytes that the file had when it was listed: none behind them are read
	ModTime int64 // when it was listed
	Start   int64 // first byte of the split
	End     int64 // records that start here or later belong to another split; of no effect if compressed
	// Changed is why the file is not what was listed, if that is known already.
	Changed error
}

// Reader reads the records of one range of a file. Its Read follows
// plugins.Reader; a *plugins.RecordError always comes without records.
type Reader interface {
	Read(ctx context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error)
	// Close gives the buffers back. The file stays the caller's.
	Close()
}

// New returns a reader of f that begins at pos, which is o.Start or a position
// that a reader of the same range returned. Nothing is read before the first Read.
func New(f traversal.File, o Options, pos record.Position) Reader {
	w := &window{in: input{file: f, off: 0, o: o}}
	switch o.Format {
	case CSV:
		return newCSV(w, o, int64(pos))
	case Whole:
		return newWhole(w, o, int64(pos))
	default:
		return newLines(w, o, int64(pos))
	}
}
