package out_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/disk/crashdisk"
	"github.com/wasmill/wasmill/plugins/file/internal/out"
)

func batch(values ...string) *wire.Batch {
	b := &wire.Batch{}
	for _, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Value: []byte(v)})
	}
	return b
}

// commit runs one epoch on a new writer and returns its token.
func commit(t *testing.T, s *out.Sink, token []byte, end bool, b *wire.Batch) []byte {
	t.Helper()
	w, err := s.Open(t.Context(), plugins.Writer{Task: 3, Generation: 1}, token, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	token, err = w.Prepare(t.Context(), end)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finalise(t.Context()); err != nil {
		t.Fatal(err)
	}
	return token
}

func TestWriter_Formats(t *testing.T) {
	rejected := record.Record{Time: 5, Key: []byte("k"), Value: []byte(`{"a":1}`)}
	rejected.Headers = rejected.Headers.Append("wasmill-error", []byte("boom")).Append("x", nil).Append("x", []byte("\xff"))
	for _, c := range []struct {
		name   string
		format out.Format
		rec    record.Record
		want   string
	}{
		{"json as it is", out.JSONL, record.Record{Key: []byte("k"), Value: []byte(`{"b":1, "a":2}`)}, `{"b":1, "a":2}`},
		{"json on several lines", out.JSONL, record.Record{Value: []byte("{\n \"a\":\r\n[1]}")}, `{"a":[1]}`},
		{"no json", out.JSONL, record.Record{Time: record.NoTime, Key: []byte("k"), Value: []byte("plain \"text\"")}, `{"key":"k","value":"plain \"text\""}`},
		{"not UTF-8", out.JSONL, record.Record{Time: record.NoTime, Key: []byte("\xff"), Value: []byte("\xfe")}, `{"key_b64":"/w==","value_b64":"/g=="}`},
		{"null", out.JSONL, record.Record{Time: record.NoTime, Key: []byte("k")}, `{"key":"k","value":null}`},
		{"a rejected record", out.JSONL, rejected, `{"key":"k","value":"{\"a\":1}","time":5,"headers":{"wasmill-error":"boom","x":[null,{"b64":"/w=="}]}}`},
		{"lines", out.TextLines, record.Record{Value: []byte("a\xffb")}, "a\xffb"},
		{"csv", out.CSV, record.Record{Value: []byte(`{"b":"x,\"y\"","a":1.0,"c":null,"d":{"e":[1]}}`)}, "b,a,c,d\n\"x,\"\"y\"\"\",1.0,,\"{\"\"e\"\":[1]}\""},
		{"csv of one empty column", out.CSV, record.Record{Value: []byte(`{"a":""}`)}, "a\n\"\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := crashdisk.New()
			b := &wire.Batch{}
			b.Add(&c.rec)
			commit(t, out.NewOn(d, out.Options{Format: c.format}), nil, true, b)
			if len(d.Files()) != 1 {
				t.Fatalf("files: %q", d.Files())
			}
			for name, data := range d.Files() {
				if data != c.want+"\n" {
					t.Errorf("%s: got %q, want %q", name, data, c.want+"\n")
				}
			}
		})
	}
}

func TestWriter_CSVColumnsOutliveARestart(t *testing.T) {
	d := crashdisk.New()
	s := out.NewOn(d, out.Options{Format: out.CSV, Path: "/out"})
	token := commit(t, s, nil, false, batch(`{"a":1,"b":2}`))
	commit(t, s, token, false, batch(`{"b":3}`))
	if got := d.Files()["part-00003.csv"]; got != "a,b\n1,2\n,3\n" {
		t.Errorf("got %q", got)
	}
	w, err := s.Open(t.Context(), plugins.Writer{Task: 9}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	err = w.Write(t.Context(), batch(`{"a":1}`, `{"c":1}`))
	if err == nil || !strings.Contains(err.Error(), `the member "c", which is not among the columns ["a"]`) {
		t.Errorf("an unknown column: %v", err)
	}
}

// A file that somebody removes while it is written to would take the rest of
// the output with it.
func TestWriter_MissesAFileThatIsGone(t *testing.T) {
	for _, c := range []struct {
		name string
		roll *out.Roll
		more bool // records follow behind the first commit
		end  bool
	}{
		{"written to", nil, true, false},
		{"written to at the end", nil, true, true},
		{"not written to again", nil, false, true},
		{"rolled", &out.Roll{Size: 1 << 20}, true, false},
		{"rolled and sealed", &out.Roll{Size: 1 << 20}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := out.New(out.Options{Path: dir, Roll: c.roll})
			w, err := s.Open(t.Context(), plugins.Writer{Task: 3}, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.Write(t.Context(), batch(`{"a":1}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Prepare(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			found, err := s.Found(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(found); err != nil {
				t.Fatal(err)
			}
			if c.more {
				if err := w.Write(t.Context(), batch(`{"a":2}`)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Prepare(t.Context(), c.end); err == nil || !strings.Contains(err.Error(), found+": it has 0 bytes where this run has written") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestWriter_MorePartitionsThanHandles(t *testing.T) {
	dir := t.TempDir()
	s := out.New(out.Options{Path: dir, PartitionBy: "/p"})
	var values []string
	for round := range 3 {
		for p := range 200 {
			values = append(values, fmt.Sprintf(`{"p":%d,"round":%d}`, p, round))
		}
	}
	token := commit(t, s, nil, false, batch(values[:300]...))
	commit(t, s, token, true, batch(values[300:]...))
	for p := range 200 {
		want := ""
		for round := range 3 {
			want += fmt.Sprintf(`{"p":%d,"round":%d}`+"\n", p, round)
		}
		got, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(p), "part-00003.jsonl"))
		if err != nil || string(got) != want {
			t.Fatalf("partition %d: %q, %v", p, got, err)
		}
	}
}

func TestWriter_FullDisk(t *testing.T) {
	for at := 1; at <= 4; at++ { // open, write, fdatasync, fsync
		d := crashdisk.New()
		s := out.NewOn(d, out.Options{Path: "/out"})
		d.At, d.Err = at, syscall.ENOSPC
		w, err := s.Open(t.Context(), plugins.Writer{Task: 3}, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(t.Context(), batch("1"))
		if err == nil {
			_, err = w.Prepare(t.Context(), false)
		}
		var pe *plugins.Error
		if !errors.As(err, &pe) || pe.Class != plugins.Exhausted || !strings.Contains(err.Error(), "/out") || !strings.Contains(err.Error(), "make room and run again") {
			t.Errorf("call %d: %v", at, err)
		}
		if _, again := w.Prepare(t.Context(), false); again == nil {
			t.Error("a writer that failed went on")
		}
		w.Close()
		d.At = 0
		commit(t, s, nil, false, batch("2"))
		if got := d.Files()["part-00003.jsonl"]; got != "2\n" {
			t.Errorf("call %d: after the disk has room again: %q", at, got)
		}
	}
}

func TestSink_DropLeavesStrangers(t *testing.T) {
	for _, c := range []struct{ by, want string }{
		{"/country", "map[a/keep:x notes.txt:x part-1.jsonl:x]"},
		{"", "map[a/keep:x a/part-00000.jsonl:x b/part-00001-000004.csv:x notes.txt:x part-1.jsonl:x]"},
	} {
		d := crashdisk.New()
		for _, name := range []string{"notes.txt", "part-1.jsonl", "a/part-00000.jsonl", "a/keep", "b/part-00001-000004.csv", "part-00000.txt", ".part-00000-000001.g1.tmp"} {
			d.Put(name, "x")
		}
		if err := out.NewOn(d, out.Options{PartitionBy: c.by}).Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(d.Files()); got != c.want {
			t.Errorf("partition_by %q: left %s, want %s", c.by, got, c.want)
		}
	}
}

// A writer without a token removes what a run before it left, and nothing of
// a sink below it.
func TestSink_RecoveryStaysInItsDirectory(t *testing.T) {
	d := crashdisk.New()
	d.Put("part-00003.jsonl", "x")
	d.Put("below/part-00003.jsonl", "x")
	s := out.NewOn(d, out.Options{})
	if got, err := s.Found(t.Context()); err != nil || got != "part-00003.jsonl" {
		t.Errorf("found %q, %v", got, err)
	}
	w, err := s.Open(t.Context(), plugins.Writer{Task: 3}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d.Files()), "map[below/part-00003.jsonl:x]"; got != want {
		t.Errorf("left %s, want %s", got, want)
	}
	if got, err := s.Found(t.Context()); err != nil || got != "" {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestSink_OnTheRealDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet")
	s := out.New(out.Options{Path: dir, PartitionBy: "/p", Roll: &out.Roll{}})
	if token := commit(t, s, nil, true, batch()); token != nil {
		t.Errorf("a writer without records gave the token %x", token)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a writer without records made a directory")
	}
	token := commit(t, s, nil, true, batch(`{"p":"x"}`))
	commit(t, s, token, true, batch(`{"p":"x"}`))
	var got []string
	names, _ := os.ReadDir(filepath.Join(dir, "x"))
	for _, n := range names {
		got = append(got, n.Name())
	}
	if fmt.Sprint(got) != "[part-00003-000000.jsonl part-00003-000001.jsonl]" {
		t.Errorf("got %s", got)
	}
	if err := s.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("after Drop: %s", names)
	}
}
