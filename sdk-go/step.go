package wasmill

import "github.com/wasmill/wasmill/sdk-go/record"

// Record is one record; see package record.
type Record = record.Record

// Headers are a record's headers.
type Headers = record.Headers

// What a record does to the row that its key names, and the mark of a record
// without event time.
const (
	Insert = record.Insert
	Update = record.Update
	Delete = record.Delete
	NoTime = record.NoTime
)

// registered holds the step's functions. They are set once, before anything
// runs, by init functions.
var registered struct {
	init  func(*Context) error
	step  func(*Context, *Record) error
	batch func(*Context, *Batch) error
	end   func(*Context, []byte) ([]byte, error)
}

// Step registers fn to be called once for each record, in order. An error
// rejects the record; what follows is the job's on_error. r is good until fn
// returns. Step and StepBatch exclude each other; the last call counts.
func Step(fn func(cx *Context, r *Record) error) {
	registered.step, registered.batch = fn, nil
}

// StepBatch registers fn to be called once for each batch. Single records are
// rejected with Context.Fail; an error refuses the whole batch, which the host
// then tries in halves until the record at fault is alone.
func StepBatch(fn func(cx *Context, b *Batch) error) {
	registered.batch, registered.step = fn, nil
}

// OnInit registers fn to be called once, before the first batch. It may read
// the configuration and write logs, no more. An error is a fault of the
// module: the job does not start with it.
func OnInit(fn func(cx *Context) error) { registered.init = fn }

// OnEnd registers fn to be called when a bounded input is over. A call has to
// be short, as a batch is; if there is more to do, fn returns a token that
// says where to go on, and is called again with it after the host has taken
// what was done so far. The first token is nil; a nil next ends it. The token
// is at most 64 KiB, and is all that a fresh instance knows: another may make
// the next call.
func OnEnd(fn func(cx *Context, token []byte) (next []byte, err error)) { registered.end = fn }
