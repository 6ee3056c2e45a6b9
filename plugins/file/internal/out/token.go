package out

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const tokenVersion = 1

// token is what a commit remembers of one writer; see FORMAT.md.
type token struct {
	next  uint64 // sequence that the next rolled file gets
	files []tokenFile
}

// tokenFile is a file as far as it belongs to the commit.
type tokenFile struct {
	path    string
	sealed  bool // complete: to be renamed to its final name
	length  int64
	opened  int64    // milliseconds since 1970, for roll.every
	columns []string // of CSV
}

func (t *token) append(dst []byte) []byte {
	dst = append(dst, tokenVersion)
	dst = binary.AppendUvarint(dst, t.next)
	for _, f := range t.files {
		dst = appendString(dst, f.path)
		flags := byte(0)
		if f.sealed {
			flags = 1
		}
		dst = append(dst, flags)
		dst = binary.AppendUvarint(dst, uint64(f.length))
		dst = binary.AppendVarint(dst, f.opened)
		dst = binary.AppendUvarint(dst, uint64(len(f.columns)))
		for _, c := range f.columns {
			dst = appendString(dst, c)
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

var errToken = errors.New("the sink's part of the checkpoint is damaged")

// parseToken reads a token; nil is that of a writer that never committed.
func parseToken(b []byte) (t token, err error) {
	if b == nil {
		return t, nil
	}
	if len(b) == 0 {
		return t, errToken
	}
	if b[0] != tokenVersion {
		return t, fmt.Errorf("the sink's part of the checkpoint has version %d; this build reads version %d", b[0], tokenVersion)
	}
	b = b[1:]
	bad := false
	uvarint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return v
	}
	text := func() string {
		n := uvarint()
		if n > uint64(len(b)) {
			bad, b = true, nil
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	t.next = uvarint()
	for len(b) > 0 {
		f := tokenFile{path: text()}
		if len(b) == 0 {
			return t, errToken
		}
		f.sealed, b = b[0]&1 != 0, b[1:]
		f.length = int64(uvarint())
		v, n := binary.Varint(b)
		if n <= 0 {
			return t, errToken
		}
		f.opened, b = v, b[n:]
		columns := uvarint()
		if columns > uint64(len(b)) { // each takes a byte at least
			return t, errToken
		}
		for range columns {
			f.columns = append(f.columns, text())
		}
		t.files = append(t.files, f)
	}
	if bad {
		return t, errToken
	}
	return t, nil
}
