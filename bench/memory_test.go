//go:build unix

package bench_test

import (
	"context"
	"encoding/binary"
	"io"
	"iter"
	"strings"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// memorySource hands out one batch of records over and over, as one split. It
// costs a copy of the batch and a number a record.
type memorySource struct {
	batch   wire.Batch
	batches int // how many to hand out
}

// newMemorySource makes a source of that many batches of records with values
// of so many bytes.
func newMemorySource(batches, records, bytes int) *memorySource {
	s := &memorySource{batches: batches}
	for range records {
		s.batch.Add(&record.Record{Time: record.NoTime, Value: []byte(strings.Repeat("x", bytes))})
	}
	return s
}

func (s *memorySource) Enumerate(context.Context, bool, iter.Seq2[[]byte, []byte]) (plugins.Enumerator, error) {
	return &oneSplit{}, nil
}

func (s *memorySource) Open(context.Context, plugins.Split, record.Position) (plugins.Reader, error) {
	return &memoryReader{s: s}, nil
}

func (s *memorySource) Close() error { return nil }

// oneSplit finds one split.
type oneSplit struct{ found bool }

func (e *oneSplit) Next(context.Context) (*plugins.Discovery, error) {
	if e.found {
		return nil, io.EOF
	}
	e.found = true
	return &plugins.Discovery{Splits: []plugins.Split{{ID: []byte("memory"), Partition: record.Partition{Name: "memory"}}}}, nil
}

func (e *oneSplit) Close() error { return nil }

type memoryReader struct {
	s    *memorySource
	done int
	next record.Position
}

func (r *memoryReader) Read(_ context.Context, b *wire.Batch, _ plugins.Limit) (record.Position, error) {
	if r.done == r.s.batches {
		return r.next, io.EOF
	}
	r.done++
	b.Records = append(b.Records, r.s.batch.Records...)
	b.Count = r.s.batch.Count
	for rest := b.Records; len(rest) > 0; r.next++ {
		binary.LittleEndian.PutUint64(rest[8:], uint64(r.next))
		rest = rest[binary.LittleEndian.Uint32(rest[36:]):]
	}
	return r.next, nil
}

func (r *memoryReader) Close() error { return nil }

// memorySink counts what comes and keeps nothing.
type memorySink struct{ records int }

func (s *memorySink) Open(context.Context, plugins.Writer, []byte, bool) (plugins.SinkWriter, error) {
	return s, nil
}

func (s *memorySink) Drop(context.Context) error { return nil }
func (s *memorySink) Close() error               { return nil }

func (s *memorySink) Write(_ context.Context, b *wire.Batch) error {
	s.records += b.Count
	return nil
}

func (s *memorySink) Prepare(context.Context, bool) ([]byte, error) { return []byte{}, nil }
func (s *memorySink) Finalise(context.Context) error                { return nil }
