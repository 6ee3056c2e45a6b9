package wasmill

import (
	"slices"

	"github.com/wasmill/wasmill/sdk-go/internal/host"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// maxFrame is the size in bytes at which emitted records are handed over
// before the batch ends.
const maxFrame = 1 << 20

// Emit sends a copy of r to the step's first output. If r.Time is 0, it gets
// the event time of the record that caused it: the one that Step handles or
// that a loop over Batch.All is at. Outside of both the batch as a whole is
// the cause, and there is no time. The error says that the record is longer
// than the job allows, or that the host takes no more.
func (cx *Context) Emit(r *Record) error { return cx.emit(0, r) }

// EmitTo sends a copy of r to the output of that name, one of the step's
// outputs in the job file.
func (cx *Context) EmitTo(output string, r *Record) error {
	i := slices.Index(cx.info.Outputs, output)
	if i < 0 {
		return &CallError{Call: "emit", On: output, Errno: EBADF}
	}
	return cx.emit(uint16(i), r)
}

func (cx *Context) emit(stream uint16, r *Record) error {
	n := r.Len()
	if limit := cx.info.Limits.Record; limit > 0 && int64(n) > limit {
		return &CallError{Call: "emit", Errno: E2BIG}
	}
	size := record.Size(n)
	if cx.out.Len()+size > maxFrame && cx.out.Count() > 0 {
		if err := cx.flush(); err != nil {
			return err
		}
	}
	at := record.Place{Time: r.Time, Cause: cx.cause, Stream: stream}
	if at.Time == 0 {
		at.Time = cx.causeTime
	}
	cx.out.Add(r, size, at)
	return nil
}

// flush hands what was emitted over to the host.
func (cx *Context) flush() error {
	if cx.out.Count() == 0 {
		return nil
	}
	result := host.Emit(cx.out.Frame())
	cx.out.Reset("", 0)
	return cx.stick(check("emit", "", result))
}
