package guest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
)

// sink takes frames and does nothing with them, so that the guest's side of
// a batch is measured alone.
type sink struct{ calls }

func (*sink) Emit([]byte) abi.Errno { return abi.OK }

// benchBatch is 1,024 records of 100 bytes of value.
func benchBatch() *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "bench"}}
	for i := range 1024 {
		b.Add(&record.Record{Position: record.Position(i), Value: bytes.Repeat([]byte("x"), 100)})
	}
	return b
}

func benchmarkBatch(bench *testing.B, m guest.Module) {
	ctx := context.Background()
	in, err := m.Instantiate(ctx, guest.Init{}, &sink{})
	if err != nil {
		bench.Fatal(err)
	}
	b := benchBatch()
	bench.SetBytes(int64(len(b.Records)))
	bench.ReportAllocs()
	for bench.Loop() {
		if _, err := in.Batch(ctx, b); err != nil {
			bench.Fatal(err)
		}
	}
	bench.ReportMetric(float64(bench.Elapsed().Nanoseconds())/float64(bench.N)/float64(b.Count), "ns/record")
}

// BenchmarkBatch measures a batch in and its frame out. WASMILL_BENCH_WASM
// names a module to measure as well.
func BenchmarkBatch(b *testing.B) {
	for name, wasm := range map[string][]byte{"passthrough": passthrough.Wasm, "file": benchModule(b, nil)} {
		if wasm == nil {
			continue
		}
		b.Run("guest="+name, func(b *testing.B) {
			m, err := engine(b, guest.EngineOptions{}).Compile(b.Context(), wasm, name)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkBatch(b, m)
		})
	}
	b.Run("guest=native", func(b *testing.B) {
		benchmarkBatch(b, guest.Native("p", func(_ guest.Init, c guest.Calls) (guest.NativeInstance, error) {
			return &copier{calls: c}, nil
		}))
	})
}

var le = binary.LittleEndian

// copier does in Go what the pass-through guest does, on a frame of its own.
type copier struct {
	calls guest.Calls
	frame []byte
}

func (n *copier) Batch(b *wire.Batch) (abi.Errno, error) {
	n.frame = b.AppendFrame(n.frame[:0])
	recs, i := n.frame[b.FrameSize()-len(b.Records):], uint32(0)
	for len(recs) > 0 {
		size := le.Uint32(recs[36:])
		le.PutUint64(recs[8:], 0)
		le.PutUint32(recs[16:], i)
		le.PutUint16(recs[20:], 0)
		recs = recs[size:]
		i++
	}
	return n.calls.Emit(n.frame), nil
}

func (n *copier) End([]byte) (bool, abi.Errno, error) { return false, abi.OK, nil }

// BenchmarkStart measures what stands before the first batch, with the
// module of WASMILL_BENCH_WASM or the pass-through guest.
func BenchmarkStart(b *testing.B) {
	wasm := benchModule(b, passthrough.Wasm)
	ctx := context.Background()
	b.Run("part=engine", func(b *testing.B) {
		for b.Loop() {
			open(b, b.TempDir()).Close(ctx)
		}
	})
	b.Run("part=compile", func(b *testing.B) {
		for b.Loop() {
			e := open(b, b.TempDir())
			if _, err := e.Compile(ctx, wasm, "m"); err != nil {
				b.Fatal(err)
			}
			e.Close(ctx)
		}
	})
	b.Run("part=compile-cached", func(b *testing.B) {
		dir := b.TempDir()
		compile := func() {
			e := open(b, dir)
			if _, err := e.Compile(ctx, wasm, "m"); err != nil {
				b.Fatal(err)
			}
			e.Close(ctx)
		}
		compile()
		for b.Loop() {
			compile()
		}
	})
	b.Run("part=instantiate", func(b *testing.B) {
		m, err := engine(b, guest.EngineOptions{}).Compile(ctx, wasm, "m")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			in, err := m.Instantiate(ctx, guest.Init{}, &calls{quiet: true})
			if err != nil {
				b.Fatal(err)
			}
			in.Close(ctx)
		}
	})
}

// benchModule returns the module of WASMILL_BENCH_WASM, or other without one.
func benchModule(b *testing.B, other []byte) []byte {
	b.Helper()
	path := os.Getenv("WASMILL_BENCH_WASM")
	if path == "" {
		return other
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return wasm
}

func open(b *testing.B, dir string) *guest.Engine {
	b.Helper()
	if err := os.Chmod(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	e, err := guest.NewEngine(context.Background(), guest.EngineOptions{CacheDir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return e
}
