package wire_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the bytes of abi/testdata anew")

// vector is one entry of a file of abi/testdata: its lines before "bytes",
// split into words, and its bytes.
type vector struct {
	name  string
	kind  string
	lines [][]string
	bytes []byte
	text  []string // all lines but the bytes, as they stand
}

// readVectors reads a file of abi/testdata.
func readVectors(t testing.TB, file string) []vector {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	const outside, inLines, inBytes = 0, 1, 2
	where := outside
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			where = outside
		case line[0] == '#':
		case where == outside:
			words := strings.Fields(line)
			out = append(out, vector{kind: words[0], name: words[1], text: []string{line}})
			where = inLines
		case where == inBytes:
			b, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
			if err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
			v := &out[len(out)-1]
			v.bytes = append(v.bytes, b...)
		default:
			v := &out[len(out)-1]
			v.text = append(v.text, line)
			if line == "bytes" {
				where = inBytes
			} else {
				v.lines = append(v.lines, splitWords(line))
			}
		}
	}
	return out
}

// splitWords splits at spaces outside of quotes.
func splitWords(line string) []string {
	var words []string
	quoted, start := false, 0
	for i, c := range line + " " {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			words = append(words, line[start:i])
			start = i + 1
		}
	}
	return words
}

// text decodes a string of a vector.
func text(t testing.TB, s string) []byte {
	t.Helper()
	if s == "null" {
		return nil
	}
	u, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return append([]byte{}, u...)
}

func number(t testing.TB, s string) uint64 {
	t.Helper()
	switch s {
	case "none":
		return 1 << 63
	case "batch":
		return uint64(abi.CauseBatch)
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return uint64(n)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return n
}

// decode returns the partition and the records that a vector describes.
func (v *vector) decode(t testing.TB) (record.Partition, []record.Record) {
	t.Helper()
	var p record.Partition
	var recs []record.Record
	for _, w := range v.lines {
		switch w[0] {
		case "partition":
			p = record.Partition{Number: uint32(number(t, w[1])), Name: string(text(t, w[2]))}
		case "record":
			recs = append(recs, record.Record{
				Time: int64(number(t, w[1])), Position: record.Position(number(t, w[2])), Cause: uint32(number(t, w[3])),
				Stream: uint16(number(t, w[4])), Flags: record.Flags(number(t, w[5])), Key: text(t, w[6]), Value: text(t, w[7]),
			})
		case "header":
			r := &recs[len(recs)-1]
			r.Headers = r.Headers.Append(string(text(t, w[1])), text(t, w[2]))
		default:
			t.Fatalf("%s: unknown line %q", v.name, w)
		}
	}
	return p, recs
}

// entries returns the packed bytes that a vector of entries.txt describes.
func (v *vector) entries(t testing.TB) []byte {
	t.Helper()
	var out []byte
	le := func(n int) { out = append(out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)) }
	for _, w := range v.lines {
		a := text(t, w[1])
		switch v.kind {
		case "scan":
			b := text(t, w[2])
			le(len(a))
			le(len(b))
			out = append(append(out, a...), b...)
		case "keys", "values":
			if a == nil {
				le(math.MaxUint32)
			} else {
				le(len(a))
			}
			out = append(out, a...)
		}
	}
	return out
}

// rewriteVectors writes file anew with the bytes that want gives.
func rewriteVectors(t *testing.T, file, title string, vs []vector, want func(*vector) []byte) {
	t.Helper()
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s See README.md.\n", title)
	for i := range vs {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(vs[i].text, "\n"))
		for b := want(&vs[i]); len(b) > 0; {
			n := min(16, len(b))
			fmt.Fprintf(&out, "% x\n", b[:n])
			b = b[n:]
		}
	}
	if err := os.WriteFile("../testdata/"+file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func encode(p record.Partition, recs []record.Record) []byte {
	b := wire.Batch{Partition: p}
	for i := range recs {
		b.Add(&recs[i])
	}
	return b.AppendFrame(nil)
}
