package wasmill

import (
	"errors"

	"github.com/wasmill/wasmill/sdk-go/internal/host"
	"github.com/wasmill/wasmill/sdk-go/internal/initjson"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// The operations of wasmill_process and its results.
const (
	opBatch   int32 = 1
	opEnd     int32 = 3
	opResumed int32 = 4

	statusDone int32 = 0
	statusMore int32 = 1
)

// minIn and maxIn bound the input buffer in bytes. It grows in powers of two,
// so that it stops growing after a few batches.
const (
	minIn = 64 << 10
	maxIn = 256 << 20
)

// alloc returns n bytes for the host to write to, nil if that is too much.
// They are the same each time: what was there before is gone.
func (cx *Context) alloc(n int) []byte {
	if n < 0 || n > maxIn {
		return nil
	}
	if n > len(cx.in) || cx.in == nil {
		size := minIn
		for size < n {
			size *= 2
		}
		cx.in = nil // may be collected before the new one is made
		cx.in = make([]byte, size)
	}
	return cx.in[:n]
}

// initialise serves wasmill_init.
func (cx *Context) initialise(payload []byte) (status int32) {
	cx.begin()
	err := initjson.Parse(payload, &cx.info)
	if err == nil {
		cx.stores = make([]Store, len(cx.info.Stores))
		for i, name := range cx.info.Stores {
			cx.stores[i] = Store{cx: cx, name: name, id: uint32(i)}
		}
		err = cx.defineMetrics()
	}
	if err == nil && registered.step == nil && registered.batch == nil {
		err = errors.New("wasmill: the module registers no step: call wasmill.Step or wasmill.StepBatch in an init function")
	}
	if err == nil && registered.init != nil {
		err = cx.guard(func() error { return registered.init(cx) })
	}
	return cx.status(err)
}

// process serves wasmill_process.
func (cx *Context) process(op int32, payload []byte) (status int32) {
	cx.begin()
	switch op {
	case opBatch:
		return cx.status(cx.runBatch(payload))
	case opEnd:
		return cx.runEnd(payload)
	case opResumed: // Rand is seeded in each call, and Go has no other to be seeded
		return statusDone
	}
	return -int32(ENOSYS)
}

// begin clears what belongs to one call.
func (cx *Context) begin() {
	cx.cause, cx.causeTime, cx.err = record.CauseBatch, NoTime, nil
	cx.out.Reset("", 0)
	cx.random.seeded = false
}

// status turns the end of a call into what the export returns. An error is
// logged, because only its number crosses the border.
func (cx *Context) status(err error) int32 {
	if err == nil {
		err = cx.flush()
	}
	if err == nil {
		err = cx.err
	}
	if err == nil {
		return statusDone
	}
	host.Log(levelError, err.Error())
	return -errnoOf(err)
}

// runEnd serves the operation end.
func (cx *Context) runEnd(token []byte) int32 {
	if registered.end == nil {
		return statusDone
	}
	if len(token) == 0 {
		token = nil
	}
	var next []byte
	err := cx.guard(func() (err error) {
		next, err = registered.end(cx, token)
		return err
	})
	if err == nil && next != nil {
		err = check("resume", "", host.Resume(next))
	}
	if status := cx.status(err); status != statusDone || next == nil {
		return status
	}
	return statusMore
}

// guard runs fn and turns a panic into an error.
func (cx *Context) guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New(panicText(v))
		}
	}()
	return fn()
}
