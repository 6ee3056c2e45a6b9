//go:build !wasip1

package wasmilltest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// Limits that Options does not set, in bytes.
const (
	maxEmit       = 16 << 20
	maxStateValue = 1 << 20
	maxResume     = 64 << 10
)

var errPlace = errors.New("wasmilltest: an emitted record names an output or a cause that does not exist")

func negative(e wasmill.Errno) int32 { return -int32(e) }

// fake is the host's side of the calls on a Host, apart from what tests use.
type fake Host

func (h *fake) Emit(frame []byte) int32 {
	if h.op == 0 {
		return negative(wasmill.EPERM)
	}
	if h.bytes += len(frame); h.bytes > maxEmit {
		return negative(wasmill.E2BIG)
	}
	var f record.Frame
	if err := f.Open(bytes.Clone(frame)); err != nil {
		h.fault = err
		return negative(wasmill.EINVAL)
	}
	var taken []Emitted // of a frame all records or none
	for {
		var e Emitted
		var cause uint32
		ok, err := f.Next(&e.Record, &cause)
		if err != nil {
			h.fault = err
			return negative(wasmill.EINVAL)
		}
		if !ok {
			h.emitted = append(h.emitted, taken...)
			return 0
		}
		if int(e.Record.Stream) >= len(h.opts.Outputs) || cause != record.CauseBatch && int64(cause) >= int64(h.records) {
			h.fault = errPlace
			return negative(wasmill.EINVAL)
		}
		if e.Record.Len() > h.opts.Record {
			return negative(wasmill.E2BIG)
		}
		e.Output = h.opts.Outputs[e.Record.Stream]
		e.Record.Stream, e.Record.Index = 0, 0
		e.Cause = int(cause)
		if cause == record.CauseBatch {
			e.Cause = -1
		}
		taken = append(taken, e)
	}
}

func (h *fake) Fail(index uint32, code int32, message string) int32 {
	if h.op == 0 {
		return negative(wasmill.EPERM)
	}
	if int64(index) >= int64(h.records) {
		return negative(wasmill.EINVAL)
	}
	h.failed = append(h.failed, Failed{Index: int(index), Code: code, Text: message})
	return 0
}

func (h *fake) Resume(token []byte) int32 {
	if h.op != opEnd {
		return negative(wasmill.EPERM)
	}
	if len(token) > maxResume {
		return negative(wasmill.E2BIG)
	}
	h.token = bytes.Clone(token)
	return 0
}

// Now is the largest event time of the batch, or goes on from the batch before
// if it has none, and a microsecond more with each call.
func (h *fake) Now() int64 {
	h.now += 1000
	return h.now
}

func (h *fake) Log(level int32, message string) int32 {
	name := fmt.Sprint("level ", level)
	if level >= 0 && level < 4 {
		name = [...]string{"debug", "info", "warn", "error"}[level]
	}
	h.logs = append(h.logs, name+": "+message)
	return 0
}

func (h *fake) LogEnabled(int32) int32 { return 1 }

func (h *fake) Random(b []byte) {
	_, _ = rand.NewChaCha8([32]byte{h.place}).Read(b) // never fails
}

func (h *fake) MetricDefine(kind int32, name string) int32 {
	if i := slices.IndexFunc(h.metrics, func(m metric) bool { return m.name == name }); i >= 0 {
		if h.metrics[i].kind != kind {
			return negative(wasmill.EINVAL)
		}
		return int32(i)
	}
	h.metrics = append(h.metrics, metric{name: name, kind: kind})
	return int32(len(h.metrics) - 1)
}

func (h *fake) MetricAdd(handle int32, delta int64) int32 {
	if handle < 0 || int(handle) >= len(h.metrics) {
		return negative(wasmill.EBADF)
	}
	h.metrics[handle].value += delta
	return 0
}
