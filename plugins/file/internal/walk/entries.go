package walk

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
	"github.com/wasmill/wasmill/traversal"
)

// entriesReader reads the entries that a split itself holds, so that what
// happens to the directory later is of no effect. A position is the number of
// the entry in its directory, in the order of names.
type entriesReader struct {
	spec  *entriesSpec
	pos   int64
	value []byte
	key   []byte
}

func newEntriesReader(spec *entriesSpec, pos record.Position) *entriesReader {
	return &entriesReader{spec: spec, pos: int64(pos)}
}

// Read implements plugins.Reader.
func (r *entriesReader) Read(_ context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	end := r.spec.first + int64(len(r.spec.entries))
	for n := 0; r.pos < end; n++ {
		e := &r.spec.entries[r.pos-r.spec.first]
		path := traversal.Join(r.spec.dir, e.Name)
		r.key = append(r.key[:0], path...)
		r.value = appendEntryJSON(r.value[:0], path, e)
		size := len(r.key) + len(r.value)
		if n > 0 && (b.Count >= limit.Records || len(b.Records)+wire.RecordHeaderSize+size > limit.Bytes) {
			return record.Position(r.pos), nil
		}
		if size > limit.Record {
			if n > 0 {
				return record.Position(r.pos), nil
			}
			r.pos++
			return record.Position(r.pos), &plugins.RecordError{
				Code: "too_large", Position: record.Position(r.pos - 1), Next: record.Position(r.pos), Value: r.value[:min(len(r.value), 1<<10)],
				Err: fmt.Errorf("%q: an entry of %d bytes is over limits.max_record of %d", path, size, limit.Record),
			}
		}
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(r.pos), Key: r.key, Value: r.value})
		r.pos++
	}
	return record.Position(r.pos), io.EOF
}

// Close implements plugins.Reader.
func (r *entriesReader) Close() error { return nil }

// appendEntryJSON appends the value of an entry's record. A path that is not
// UTF-8 stands in path with U+FFFD in place of the bytes at fault, and exactly
// in path_b64. mtime is in milliseconds since 1970, mode in octal.
func appendEntryJSON(dst []byte, path string, e *traversal.Entry) []byte {
	dst = read.AppendJSONString(append(dst, `{"path":`...), path)
	if !utf8.ValidString(path) {
		dst = append(base64.StdEncoding.AppendEncode(append(dst, `,"path_b64":"`...), []byte(path)), '"')
	}
	dst = strconv.AppendInt(append(dst, `,"size":`...), e.Size, 10)
	ms := e.ModTime / 1_000_000
	if e.ModTime%1_000_000 < 0 {
		ms-- // downwards also before 1970
	}
	dst = strconv.AppendInt(append(dst, `,"mtime":`...), ms, 10)
	dst = append(dst, `,"mode":"`...)
	for shift := 9; shift >= 0; shift -= 3 {
		dst = append(dst, '0'+byte(e.Mode>>shift&7))
	}
	dst = append(dst, `","kind":"`...)
	return append(append(dst, e.Kind.String()...), `"}`...)
}
