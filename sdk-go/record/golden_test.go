package record_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/sdk-go/record"
)

// vector is one entry of a file of abi/testdata.
type vector struct {
	name  string
	lines [][]string // the words of each line before "bytes"
	bytes []byte
}

func vectors(t *testing.T, file string) []vector {
	t.Helper()
	data, err := os.ReadFile("../../abi/testdata/" + file)
	if os.IsNotExist(err) {
		t.Skip("the golden vectors are in wasmill's repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	for part := range strings.SplitSeq(string(data), "\n\n") {
		if strings.HasPrefix(part, "#") {
			continue
		}
		head, digits, _ := strings.Cut(part+"\n", "\nbytes\n")
		b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(head, "\n")
		v := vector{name: strings.Fields(lines[0])[1], bytes: b}
		for _, l := range lines[1:] {
			v.lines = append(v.lines, words(l))
		}
		out = append(out, v)
	}
	if len(out) < 10 {
		t.Fatalf("%s has only %d vectors", file, len(out))
	}
	return out
}

// words splits at spaces outside of quotes.
func words(line string) (out []string) {
	quoted, start := false, 0
	for i, c := range line + " " {
		if c == '"' {
			quoted = !quoted
		} else if c == ' ' && !quoted {
			out = append(out, line[start:i])
			start = i + 1
		}
	}
	return out
}

func text(t *testing.T, s string) []byte {
	t.Helper()
	if s == "null" {
		return nil
	}
	u, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return []byte(u)
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	switch s {
	case "none":
		return record.NoTime
	case "batch":
		return int64(record.CauseBatch)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFrame_Golden(t *testing.T) {
	for _, v := range vectors(t, "frames.txt") {
		t.Run(v.name, func(t *testing.T) {
			var recs []record.Record
			var at []record.Place
			var b record.Builder
			for _, w := range v.lines {
				switch w[0] {
				case "partition":
					b.Reset(string(text(t, w[2])), uint32(number(t, w[1])))
				case "record":
					p := record.Place{Time: number(t, w[1]), Position: number(t, w[2]), Cause: uint32(number(t, w[3])), Stream: uint16(number(t, w[4]))}
					at = append(at, p)
					recs = append(recs, record.Record{
						Time: p.Time, Position: p.Position, Index: uint32(len(recs)), Stream: p.Stream,
						Flags: record.Flags(number(t, w[5])), Key: text(t, w[6]), Value: text(t, w[7]),
					})
				case "header":
					r := &recs[len(recs)-1]
					r.Headers = r.Headers.Append(string(text(t, w[1])), text(t, w[2]))
				}
			}
			for i := range recs {
				b.Add(&recs[i], record.Size(recs[i].Len()), at[i])
			}
			if !bytes.Equal(b.Frame(), v.bytes) {
				t.Errorf("encoded\n% x, golden\n% x", b.Frame(), v.bytes)
			}

			var f record.Frame
			if err := f.Open(v.bytes); err != nil {
				t.Fatal(err)
			}
			for i := 0; ; i++ {
				var got record.Record
				var cause uint32
				ok, err := f.Next(&got, &cause)
				if err != nil {
					t.Fatal(err)
				}
				if ok != (i < len(recs)) {
					t.Fatalf("Next %d gives %v, the frame has %d records", i, ok, len(recs))
				}
				if !ok {
					break
				}
				if !reflect.DeepEqual(got, recs[i]) || cause != at[i].Cause {
					t.Errorf("record %d is %+v, want %+v", i, got, recs[i])
				}
			}
		})
	}
}

func TestFrame_GoldenFaults(t *testing.T) {
	for _, v := range vectors(t, "faults.txt") {
		var f record.Frame
		err := f.Open(v.bytes)
		for ok := err == nil; ok; {
			var r record.Record
			var cause uint32
			ok, err = f.Next(&r, &cause)
		}
		if err != record.ErrFrame {
			t.Errorf("%s: error %v", v.name, err)
		}
	}
}

func TestFrame_NoAllocations(t *testing.T) {
	var in, out record.Builder
	in.Reset("partition", 1)
	for range 100 {
		r := record.Record{Key: []byte("key"), Value: []byte("value"), Headers: record.Headers{}.Append("a", []byte("1"))}
		in.Add(&r, record.Size(r.Len()), record.Place{})
	}
	frame := in.Frame()
	pass := func() {
		var f record.Frame
		if err := f.Open(frame); err != nil {
			t.Fatal(err)
		}
		out.Reset("partition", 1)
		var r record.Record
		var cause uint32
		for {
			ok, err := f.Next(&r, &cause)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			out.Add(&r, record.Size(r.Len()), record.Place{})
		}
		if !bytes.Equal(out.Frame(), frame) {
			t.Fatal("the copy differs")
		}
	}
	pass()
	if n := testing.AllocsPerRun(10, pass); n != 0 {
		t.Errorf("%v allocations for 100 records", n)
	}
}

func TestHeaders(t *testing.T) {
	h := record.Headers{}.Append("a", []byte("1")).Append("b", nil).Append("a", []byte("2"))
	if v, ok := h.Get("a"); h.Len() != 3 || !ok || string(v) != "1" {
		t.Errorf("%d headers, a is %q, %v", h.Len(), v, ok)
	}
	if v, ok := h.Get("b"); !ok || v != nil {
		t.Errorf("b is %q, %v", v, ok)
	}
	if _, ok := h.Get("c"); ok {
		t.Error("c is there")
	}
}

func TestBuilder_ClearsThePaddingOfAUsedBuffer(t *testing.T) {
	var b record.Builder
	b.Reset("", 0)
	full := record.Record{Value: bytes.Repeat([]byte{0xff}, 100)}
	b.Add(&full, record.Size(full.Len()), record.Place{})
	for n := range 17 {
		b.Reset("p", 0)
		r := record.Record{Value: make([]byte, n)}
		b.Add(&r, record.Size(r.Len()), record.Place{})
		var f record.Frame
		if err := f.Open(b.Frame()); err != nil {
			t.Fatal(err)
		}
		var cause uint32
		if ok, err := f.Next(&r, &cause); !ok || err != nil {
			t.Errorf("value of %d bytes: %v, %v", n, ok, err)
		}
	}
}
