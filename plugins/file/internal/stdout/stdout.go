// Package stdout is the sink that prints. What an epoch prints is kept in its
// token and printed once the epoch is decided: a crash between the decision
// and the end of the printing prints the epoch again.
package stdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/out"
)

// maxPending bounds what one task prints in one epoch, in bytes.
const maxPending = 64 << 20

// version begins a token; what to print follows.
const version = 1

// FormatNames are the names of formats in a job file.
var FormatNames = []string{"lines", "jsonl"}

// Sink prints to one writer, which its tasks share.
type Sink struct {
	append func([]byte, *record.Record) []byte

	mu sync.Mutex
	w  io.Writer // mu: one epoch of one task at a time
}

// New returns a sink that prints to w.
func New(c plugins.Config, w io.Writer) *Sink {
	s := &Sink{w: w, append: out.AppendLine}
	if c.String("format") == "jsonl" {
		s.append = out.AppendJSONL
	}
	return s
}

// Open implements plugins.Sink.
func (s *Sink) Open(_ context.Context, _ plugins.Writer, token []byte, finalised bool) (plugins.SinkWriter, error) {
	if token == nil {
		return &writer{s: s, pending: []byte{version}}, nil
	}
	if len(token) == 0 || token[0] != version {
		return nil, fmt.Errorf("its part of the checkpoint is damaged or of another version than %d", version)
	}
	if !finalised {
		if err := s.print(token[1:]); err != nil {
			return nil, err
		}
	}
	return &writer{s: s, token: token, pending: []byte{version}}, nil
}

func (s *Sink) print(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// Drop implements plugins.Sink: what is printed is printed.
func (s *Sink) Drop(context.Context) error { return nil }

// Close implements plugins.Sink.
func (s *Sink) Close() error { return nil }

// writer collects what one task prints.
type writer struct {
	s       *Sink
	pending []byte // a token in the making
	token   []byte // the last one, nil before the first
	due     []byte // what Finalise prints
	rec     record.Record
	err     error
}

// Write implements plugins.SinkWriter.
func (w *writer) Write(_ context.Context, b *wire.Batch) error {
	if w.err != nil {
		return w.err
	}
	recs := b.Records
	for range b.Count {
		recs = wire.Next(recs, &w.rec)
		w.pending = w.s.append(w.pending, &w.rec)
	}
	if len(w.pending) > maxPending {
		w.err = &plugins.Error{Class: plugins.Exhausted, Err: fmt.Errorf(
			"more than %d bytes for standard output in one epoch: shorten epoch, or use a file sink", maxPending)}
	}
	return w.err
}

// Prepare implements plugins.SinkWriter. A token without anything to print
// follows one with, lest that be printed again.
func (w *writer) Prepare(context.Context, bool) ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	if len(w.pending) == 1 && len(w.token) <= 1 {
		return w.token, nil
	}
	w.token = w.pending
	w.due = w.token[1:]
	w.pending = []byte{version}
	return w.token, nil
}

// Finalise implements plugins.SinkWriter.
func (w *writer) Finalise(context.Context) error {
	if w.err != nil {
		return w.err
	}
	if err := w.s.print(w.due); err != nil {
		return err
	}
	w.due = nil
	return nil
}

// Close implements plugins.SinkWriter.
func (w *writer) Close() error {
	if w.err == nil {
		w.err = errors.New("stdout sink: the writer is closed")
	}
	return nil
}
