package read_test

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
	"github.com/wasmill/wasmill/plugins/plugintest"
	"github.com/wasmill/wasmill/traversal"
)

// data is a file in memory whose length now may differ from the listed one.
type data struct {
	b     []byte
	fail  int64 // offset from which reads fail, 0 = none
	calls int
	mtime int64
}

func (d *data) ReadAt(p []byte, off int64) (int, error) {
	d.calls++
	if d.fail > 0 && off+int64(len(p)) > d.fail {
		n := copy(p[:max(0, d.fail-off)], d.b[off:])
		return n, syscall.EIO
	}
	return bytes.NewReader(d.b).ReadAt(p, off)
}

func (d *data) Stat() (traversal.Entry, error) {
	return traversal.Entry{Kind: traversal.KindFile, Size: int64(len(d.b)), ModTime: d.mtime}, nil
}
func (d *data) Close() error { return nil }

func options(format read.Format, size int) read.Options {
	return read.Options{Path: "dir/f", Format: format, Auto: true, Size: int64(size), End: int64(size)}
}

// result is everything that a reader gives, written down.
func result(t testing.TB, f traversal.File, o read.Options, pos record.Position, limit plugins.Limit) []string {
	t.Helper()
	r := read.New(f, o, pos)
	defer r.Close()
	var got []string
	var b wire.Batch
	for {
		b.Reset()
		next, err := r.Read(t.Context(), &b, limit)
		var rec record.Record
		for recs := b.Records; len(recs) > 0; {
			recs = wire.Next(recs, &rec)
			got = append(got, fmt.Sprintf("%d:%s", rec.Position, rec.Value))
		}
		var bad *plugins.RecordError
		var fault *plugins.Fault
		switch {
		case errors.As(err, &bad):
			if b.Count > 0 || bad.Next != next {
				t.Errorf("a record error with %d records, next %d and %d", b.Count, bad.Next, next)
			}
			got = append(got, fmt.Sprintf("%d:%s", bad.Position, bad.Code))
		case errors.As(err, &fault):
			return append(got, string(fault.Kind))
		case errors.Is(err, io.EOF):
			return got
		case err != nil:
			t.Fatal(err)
		}
	}
}

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zst(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(b, nil)
}

func TestReader_Formats(t *testing.T) {
	for _, c := range []struct {
		name   string
		format read.Format
		data   string
		limit  int // of a record, 0 = default
		want   []string
	}{
		{"lines", read.Lines, "a\nbb\r\n\nc", 0, []string{"0:a", "2:bb", "6:", "7:c"}},
		{"a lone \\r stays", read.Lines, "a\rb\nc\r", 0, []string{"0:a\rb", "4:c\r"}},
		{"lines, nothing", read.Lines, "", 0, nil},
		{"lines, only an end", read.Lines, "\n", 0, []string{"0:"}},
		{"lines, one too long", read.Lines, "ab\nabcdef\nabcde\nx", 5, []string{"0:ab", "3:too_large", "10:abcde", "16:x"}},
		{"lines, \\r does not count", read.Lines, "abcde\r\nx\n", 5, []string{"0:abcde", "7:x"}},
		{"lines, too long at the end", read.Lines, "abcdefgh", 5, []string{"0:too_large"}},
		{"jsonl", read.JSONL, "\xef\xbb\xbf{\"a\":1}\n \n\n[2\n3\n\xef\xbb\xbf4\n", 0, []string{`0:{"a":1}`, "14:bad_json", "17:3", "19:bad_json"}},
		{"csv", read.CSV, "\xef\xbb\xbfa,b\r\n1,\"x\"\"y\nz\"\r\n\r\n,\"\"\nonly\n5,6", 0,
			[]string{`8:{"a":"1","b":"x\"y\nz"}`, `22:{"a":"","b":""}`, "26:bad_csv", `31:{"a":"5","b":"6"}`}},
		{"csv, stray quotes", read.CSV, "a,b\n1,x\"y\n2,\"z\"w\n3,4\n", 0, []string{"4:bad_csv", "10:bad_csv", `17:{"a":"3","b":"4"}`}},
		{"csv, open quote", read.CSV, "a\n\"x\ny\n", 0, []string{"2:bad_csv"}},
		{"csv, not UTF-8", read.CSV, "a\n\xff\nb\n", 0, []string{"2:bad_csv", `4:{"a":"b"}`}},
		{"csv, too long", read.CSV, "a\n\"xxxxxxxxxx\nxxxxxx\"\nb\n", 12, []string{"2:too_large", `22:{"a":"b"}`}},
		{"csv, header only", read.CSV, "a,b\n", 0, nil},
		{"csv, nothing", read.CSV, "", 0, nil},
		{"csv, a column twice", read.CSV, "a,a\n1,2\n", 0, []string{"corrupt"}},
		{"csv, broken header", read.CSV, "a\"b\n1\n", 0, []string{"corrupt"}},
		{"whole", read.Whole, "a\nb", 0, []string{"0:a\nb"}},
		{"whole, nothing", read.Whole, "", 0, []string{"0:"}},
		{"whole, too long", read.Whole, "0123456789", 14, []string{"0:too_large"}},
		{"whole, just fits", read.Whole, "0123456789", 15, []string{"0:0123456789"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pack := range []func([]byte) []byte{func(b []byte) []byte { return b }, gz, zst} {
				b := pack([]byte(c.data))
				if len(c.data) == 0 && len(b) > 0 && c.format != read.Whole {
					continue
				}
				limit := plugintest.DefaultLimit
				if c.limit > 0 {
					limit.Record = c.limit
				}
				for _, records := range []int{1, 2, 1024} {
					limit.Records = records
					if got := result(t, &data{b: b}, options(c.format, len(b)), 0, limit); !slices.Equal(got, c.want) {
						t.Errorf("%d at once: got %q, want %q", records, got, c.want)
					}
				}
				// From the position behind each item the rest comes.
				for i, item := range c.want {
					pos, _, ok := strings.Cut(item, ":")
					if !ok || i == 0 {
						continue
					}
					var p record.Position
					fmt.Sscan(pos, &p)
					if got := result(t, &data{b: b}, options(c.format, len(b)), p, limit); !slices.Equal(got, c.want[i:]) {
						t.Errorf("from %d: got %q, want %q", p, got, c.want[i:])
					}
				}
			}
		})
	}
}

// What happens to a file after it was listed is a fault behind all that can
// be trusted: a line that may be torn is none.
func TestReader_Faults(t *testing.T) {
	text := "one\ntwo\nthree"
	packed := gz([]byte(strings.Repeat(text+"\n", 2000)))
	for _, c := range []struct {
		name string
		file *data
		size int
		err  error // what opening found
		want []string
	}{
		{"grown, listed at a line's end", &data{b: []byte(text)}, 8, errors.New("grown"), []string{"0:one", "4:two", "changed"}},
		{"grown, listed within a line", &data{b: []byte(text)}, 6, errors.New("grown"), []string{"0:one", "changed"}},
		{"shrunk while reading", &data{b: []byte(text[:6])}, len(text), nil, []string{"0:one", "changed"}},
		{"touched", &data{b: []byte(text)}, len(text), errors.New("touched"), []string{"0:one", "4:two", "changed"}},
		{"an I/O error", &data{b: []byte(text), fail: 6}, len(text), nil, []string{"0:one", "unreadable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(read.Lines, c.size)
			o.Changed = c.err
			if got := result(t, c.file, o, 0, plugintest.DefaultLimit); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for name, b := range map[string][]byte{
		"gzip cut short": packed[:len(packed)-9],
		"gzip checksum":  append(packed[:len(packed)-8:len(packed)-8], "\x00\x00\x00\x00\x00\x00\x00\x00"...),
		"zstd cut short": zst([]byte(strings.Repeat("random enough "+text, 999)))[:60],
		"gzip header":    []byte("\x1f\x8b\x08\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			got := result(t, &data{b: b}, options(read.Lines, len(b)), 0, plugintest.DefaultLimit)
			if len(got) == 0 || got[len(got)-1] != "corrupt" {
				t.Errorf("ends with %q", got[max(0, len(got)-2):])
			}
		})
	}
	t.Run("packed and touched", func(t *testing.T) {
		b := gz([]byte(text))
		o := options(read.Lines, len(b))
		o.Changed = errors.New("touched")
		if got, want := result(t, &data{b: b}, o, 0, plugintest.DefaultLimit), []string{"0:one", "4:two", "changed"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("written to while it is read", func(t *testing.T) {
		// Longer than any buffer, so that it takes several reads.
		const lines = 300_000
		b := []byte(strings.Repeat("0123456789abcde\n", lines))
		got := result(t, &data{b: b, mtime: 7}, options(read.Lines, len(b)), 0, plugintest.DefaultLimit)
		if len(got) != lines+1 || got[lines] != "changed" {
			t.Errorf("%d results, the last %q", len(got), got[len(got)-1])
		}
	})
}

func TestReader_SmallFileIsReadOnce(t *testing.T) {
	f := &data{b: []byte("one\ntwo\n")}
	if got := result(t, f, options(read.Lines, len(f.b)), 0, plugintest.DefaultLimit); len(got) != 2 || f.calls != 1 {
		t.Errorf("%d records by %d reads", len(got), f.calls)
	}
}

// endless is a file of one byte over and over, with a line end at the end.
type endless struct{ size int64 }

var exes = bytes.Repeat([]byte("x"), 1<<18)

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), e.size-off))
	for i := 0; i < n; {
		i += copy(p[i:n], exes)
	}
	if off+int64(n) == e.size && n > 0 {
		p[n-1] = '\n'
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
func (e endless) Stat() (traversal.Entry, error) { return traversal.Entry{Size: e.size}, nil }
func (e endless) Close() error                   { return nil }

func TestReader_LineOfAGibibyteTakesNoMemory(t *testing.T) {
	const size = 1 << 30
	for _, format := range []read.Format{read.Lines, read.CSV, read.Whole} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := options(format, 0)
		o.Size, o.End = size, size
		got := result(t, endless{size}, o, 0, plugintest.DefaultLimit)
		runtime.ReadMemStats(&after)
		want := []string{"0:too_large"}
		if format == read.CSV {
			want = []string{"corrupt"} // it would be the header
		}
		if !slices.Equal(got, want) {
			t.Errorf("format %d: got %q, want %q", format, got, want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("format %d: %d bytes were allocated", format, n)
		}
	}
}

// Random text read with random limits from random positions, against the
// simplest reading; CSV against encoding/csv.
func TestReader_RandomAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	const alphabet = "ab\n\r,\"x"
	for range 3000 {
		b := make([]byte, rnd.IntN(60))
		for i := range b {
			b[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		limit := plugintest.DefaultLimit
		limit.Records = 1 + rnd.IntN(4)
		var want []string
		off := 0
		for line := range strings.SplitAfterSeq(string(b), "\n") {
			if line != "" {
				end := strings.HasSuffix(line, "\n")
				v := strings.TrimSuffix(line, "\n")
				if end {
					v = strings.TrimSuffix(v, "\r")
				}
				want = append(want, fmt.Sprintf("%d:%s", off, v))
			}
			off += len(line)
		}
		if got := result(t, &data{b: b}, options(read.Lines, len(b)), 0, limit); !slices.Equal(got, want) {
			t.Fatalf("lines of %q: got %q, want %q", b, got, want)
		}
		against := append([]byte("h,i\n"), b...)
		if want, ok := model(against); ok {
			got := result(t, &data{b: against}, options(read.CSV, len(against)), 0, limit)
			if !slices.Equal(got, want) {
				t.Fatalf("csv of %q: got %q, want %q", against, got, want)
			}
		}
	}
}

// model reads CSV by the standard library; ok is false where that stops at a
// fault or its rules are other ones (a lone \r, which it keeps or drops by place).
func model(b []byte) (want []string, ok bool) {
	if bytes.Contains(bytes.ReplaceAll(b, []byte("\r\n"), nil), []byte("\r")) || bytes.Contains(b, []byte("\r\n")) {
		return nil, false
	}
	r := stdcsv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = -1
	for {
		before := r.InputOffset()
		row, err := r.Read()
		if err == io.EOF {
			return want, true
		}
		if err != nil {
			return nil, false
		}
		if before == 0 {
			continue
		}
		for b[before] == '\n' {
			before++
		}
		if len(row) != 2 {
			want = append(want, fmt.Sprintf("%d:bad_csv", before))
			continue
		}
		h, _ := json.Marshal(row[0])
		i, _ := json.Marshal(row[1])
		want = append(want, fmt.Sprintf(`%d:{"h":%s,"i":%s}`, before, h, i))
	}
}

func TestReader_LinesAllocateNothing(t *testing.T) {
	f := &data{b: []byte(strings.Repeat("a line of some forty bytes, like in a log\n", 100_000))}
	r := read.New(f, options(read.Lines, len(f.b)), 0)
	defer r.Close()
	var b wire.Batch
	step := func() {
		b.Reset()
		if _, err := r.Read(t.Context(), &b, plugintest.DefaultLimit); err != nil || b.Count < 1000 {
			t.Fatalf("%d records, %v", b.Count, err)
		}
	}
	step()
	if n := testing.AllocsPerRun(50, step); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkLines(b *testing.B) {
	for _, length := range []int{10, 40, 100, 1000} {
		b.Run(fmt.Sprintf("length=%d", length), func(b *testing.B) {
			f := &data{b: bytes.Repeat(append(bytes.Repeat([]byte("x"), length-1), '\n'), (8<<20)/length)}
			b.SetBytes(int64(len(f.b)))
			b.ReportAllocs()
			records := 0
			var batch wire.Batch
			for b.Loop() {
				r := read.New(f, options(read.Lines, len(f.b)), 0)
				for {
					batch.Reset()
					_, err := r.Read(b.Context(), &batch, plugintest.DefaultLimit)
					records += batch.Count
					if err != nil {
						break
					}
				}
				r.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
		})
	}
}

// Positions far behind the first bytes in memory: plain files are jumped into,
// compressed ones are read up to there.
func TestReader_ResumesFarIntoAFile(t *testing.T) {
	var text bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&text, "line %08d\n", i) // 14 bytes each
	}
	for name, b := range map[string][]byte{"plain": text.Bytes(), "gzip": gz(text.Bytes()), "zstd": zst(text.Bytes())} {
		f := &data{b: b}
		r := read.New(f, options(read.Lines, len(b)), 14*90_000)
		var batch wire.Batch
		next, err := r.Read(t.Context(), &batch, plugins.Limit{Records: 1, Bytes: 1, Record: 100})
		r.Close()
		var rec record.Record
		if err != nil || batch.Count != 1 || next != 14*90_001 {
			t.Errorf("%s: %d records, next %d, %v", name, batch.Count, next, err)
			continue
		}
		wire.Next(batch.Records, &rec)
		if string(rec.Value) != "line 00090000" {
			t.Errorf("%s: got %q", name, rec.Value)
		}
		if name == "plain" && f.calls > 2 {
			t.Errorf("a plain file was read %d times to get there", f.calls)
		}
	}
}
