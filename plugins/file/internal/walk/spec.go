package walk

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/traversal"
)

// version begins every durable value of the source; see FORMAT.md.
const version = 1

// Kinds of splits.
const (
	splitFile    = 1
	splitEntries = 2
)

// fileSpec is the Spec of a split that is a range of a file.
type fileSpec struct {
	path       string // relative to the root
	size       int64  // when listed
	modTime    int64  // when listed, nanoseconds since 1970
	start, end int64
	auto       bool
}

func (s *fileSpec) append(dst []byte) []byte {
	flags := byte(0)
	if s.auto {
		flags = 1
	}
	dst = append(dst, version, splitFile, flags)
	dst = binary.AppendUvarint(dst, uint64(s.size))
	dst = binary.AppendVarint(dst, s.modTime)
	dst = binary.AppendUvarint(dst, uint64(s.start))
	dst = binary.AppendUvarint(dst, uint64(s.end))
	return append(dst, s.path...)
}

// entriesSpec is the Spec of a split that holds entries of one directory.
type entriesSpec struct {
	dir     string
	first   int64 // position of the first entry
	entries []traversal.Entry
}

func appendEntriesHead(dst []byte, dir string, first int64) []byte {
	dst = append(dst, version, splitEntries)
	dst = binary.AppendUvarint(dst, uint64(first))
	dst = binary.AppendUvarint(dst, uint64(len(dir)))
	return append(dst, dir...)
}

func appendEntry(dst []byte, e *traversal.Entry) []byte {
	dst = append(dst, byte(e.Kind))
	dst = binary.AppendUvarint(dst, uint64(e.Mode))
	dst = binary.AppendUvarint(dst, uint64(e.Size))
	dst = binary.AppendVarint(dst, e.ModTime)
	dst = binary.AppendUvarint(dst, uint64(len(e.Name)))
	return append(dst, e.Name...)
}

// parseSpec returns a *fileSpec or an *entriesSpec.
func parseSpec(b []byte) (any, error) {
	p := parser{b: b}
	if v := p.byte(); v != version {
		return nil, fmt.Errorf("walk: a split of version %d; this build reads version %d", v, version)
	}
	switch kind := p.byte(); kind {
	case splitFile:
		s := &fileSpec{auto: p.byte()&1 != 0, size: p.size(), modTime: p.varint(), start: p.size(), end: p.size()}
		s.path = string(p.b)
		if p.bad || s.path == "" || s.start > s.end || s.end > s.size {
			return nil, errBroken
		}
		return s, nil
	case splitEntries:
		s := &entriesSpec{first: p.size(), dir: p.string()}
		for len(p.b) > 0 && !p.bad {
			s.entries = append(s.entries, traversal.Entry{
				Kind: traversal.Kind(p.byte()), Mode: uint32(p.size()), Size: p.size(), ModTime: p.varint(), Name: p.string(),
			})
		}
		if p.bad || s.dir == "" {
			return nil, errBroken
		}
		return s, nil
	default:
		return nil, fmt.Errorf("walk: a split of kind %d, which this build does not know", kind)
	}
}

var errBroken = errors.New("walk: a split or directory in the checkpoint is damaged")

// parser takes values off b; bad is set once something did not fit.
type parser struct {
	b   []byte
	bad bool
}

func (p *parser) byte() byte {
	if len(p.b) == 0 {
		p.bad = true
		return 0
	}
	v := p.b[0]
	p.b = p.b[1:]
	return v
}

func (p *parser) size() int64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 || int64(v) < 0 {
		p.bad, p.b = true, nil
		return 0
	}
	p.b = p.b[n:]
	return int64(v)
}

func (p *parser) varint() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.bad, p.b = true, nil
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *parser) string() string {
	n := p.size()
	if n > int64(len(p.b)) {
		p.bad, p.b = true, nil
		return ""
	}
	s := string(p.b[:n])
	p.b = p.b[n:]
	return s
}

// appendID appends the ID of a split: its path, a zero byte, which no path
// holds, and its start, so that IDs sort by path and place.
func appendID(dst []byte, path string, start int64) []byte {
	dst = append(append(dst, path...), 0)
	return binary.BigEndian.AppendUint64(dst, uint64(start))
}

// waiting is the value of a directory that waits; its key is its path.
type waiting struct {
	after   string // last name that was handled
	handled int64  // entries handed on so far, the position of the next one
}

func (w *waiting) append(dst []byte) []byte {
	dst = append(dst, version)
	dst = binary.AppendUvarint(dst, uint64(w.handled))
	return append(dst, w.after...)
}

func parseWaiting(b []byte) (w waiting, err error) {
	p := parser{b: b}
	if v := p.byte(); v != version {
		return w, fmt.Errorf("walk: a waiting directory of version %d; this build reads version %d", v, version)
	}
	w.handled = p.size()
	w.after = string(p.b)
	if p.bad {
		return w, errBroken
	}
	return w, nil
}

func partition(path string) record.Partition {
	return record.Partition{Name: path, Number: record.Murmur2String(path) & 0x7fffffff}
}
