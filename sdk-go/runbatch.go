package wasmill

import (
	"errors"

	"github.com/wasmill/wasmill/sdk-go/record"
)

// runBatch serves the operation batch.
func (cx *Context) runBatch(payload []byte) error {
	b := &cx.batch
	b.cx = cx
	if err := b.frame.Open(payload); err != nil {
		return err
	}
	if registered.batch != nil {
		return cx.runWhole(b)
	}
	for !cx.runRecords(b) {
	}
	cx.cause, cx.causeTime = record.CauseBatch, NoTime
	return nil
}

// runRecords calls the step for each record that is left. A panic fails the
// record and ends the run early: done is false then.
func (cx *Context) runRecords(b *Batch) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			cx.fail(cx.cause, CodePanic, panicText(v))
		}
	}()
	for b.next() {
		if err := registered.step(cx, &b.rec); err != nil {
			cx.fail(cx.cause, codeOf(err), err.Error())
		}
	}
	return true
}

// runWhole calls the step for the batch. A panic fails the record that a loop
// over All was at, or else refuses the batch.
func (cx *Context) runWhole(b *Batch) (err error) {
	defer func() {
		v := recover()
		switch {
		case v == nil:
		case cx.cause != record.CauseBatch:
			cx.fail(cx.cause, CodePanic, panicText(v))
		default:
			err = errors.New(panicText(v))
		}
	}()
	return registered.batch(cx, b)
}
