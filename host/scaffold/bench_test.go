package scaffold_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// text is batches of the lines of some Go files, 1,024 lines each.
func text(b *testing.B) (batches []*wire.Batch, size int64) {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("needs the go command")
	}
	names, err := filepath.Glob(filepath.Join(string(bytes.TrimSpace(root)), "src/net/http/*.go"))
	if err != nil || len(names) == 0 {
		b.Skip("no Go sources: ", err)
	}
	cur := batch()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		size += int64(len(data))
		for line := range bytes.Lines(data) {
			cur.Add(&record.Record{Time: record.NoTime, Value: bytes.TrimSuffix(line, []byte("\n"))})
			if cur.Count == 1024 {
				batches = append(batches, cur)
				cur = batch()
			}
		}
	}
	return append(batches, cur), size
}

// BenchmarkSDKGo runs Go steps under the engine, batches of 1,024 records.
func BenchmarkSDKGo(b *testing.B) {
	ctx := context.Background()
	b.Run("tokenize", func(b *testing.B) {
		c := &calls{quiet: true}
		in, err := start(b, "../../examples/word-count/tokenize", guest.Init{}, c)
		if err != nil {
			b.Fatal(err)
		}
		batches, size := text(b)
		records := 0
		for _, t := range batches {
			records += t.Count
		}
		b.SetBytes(size)
		for b.Loop() {
			for _, t := range batches {
				if status, err := in.Batch(ctx, t); status != abi.OK || err != nil {
					b.Fatal(status, err)
				}
			}
			c.frames = c.frames[:0]
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
	})
	b.Run("count", func(b *testing.B) {
		c := &calls{quiet: true}
		in, err := start(b, "../../examples/word-count/count", guest.Init{Stores: []string{"counts"}}, c)
		if err != nil {
			b.Fatal(err)
		}
		t := batch()
		for i := range 1024 {
			word := []byte(fmt.Sprintf("%04d", i))
			for k := range word {
				word[k] += 'a' - '0'
			}
			t.Add(&record.Record{Key: word, Value: []byte("12")})
		}
		for b.Loop() {
			if status, err := in.Batch(ctx, t); status != abi.OK || err != nil {
				b.Fatal(status, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/record")
	})
	b.Run("emit", func(b *testing.B) {
		c := &calls{quiet: true}
		in, err := start(b, "testdata/echo", guest.Init{}, c)
		if err != nil {
			b.Fatal(err)
		}
		t := batch()
		for range 1024 {
			t.Add(&record.Record{Key: []byte("key"), Value: bytes.Repeat([]byte{'v'}, 100)})
		}
		for b.Loop() {
			if status, err := in.Batch(ctx, t); status != abi.OK || err != nil {
				b.Fatal(status, err)
			}
			c.frames = c.frames[:0]
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/record")
	})
}
