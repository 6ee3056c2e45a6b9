package wasmill

import (
	"github.com/wasmill/wasmill/sdk-go/internal/host"
	"github.com/wasmill/wasmill/sdk-go/internal/initjson"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// Context is the step's way to the host. It is good during the call that it
// is handed to, and is used by one goroutine.
type Context struct {
	info   initjson.Payload
	stores []Store

	in    []byte         // where the host writes: payloads of init and process
	out   record.Builder // what was emitted and not handed over
	batch Batch          // the one that runs

	// Of the running call:
	cause     uint32 // index of the record that emits belong to, or record.CauseBatch
	causeTime int64
	err       error // see stick
	random    random

	reply   []byte // of state_get and state_scan
	many    []byte // of state_get_many
	request []byte // for state_get_many
}

// Job, StepName and Tenant say where the step runs.
func (cx *Context) Job() string      { return cx.info.Job }
func (cx *Context) StepName() string { return cx.info.Step }
func (cx *Context) Tenant() string   { return cx.info.Tenant }

// Task is the number of the task that the instance serves, Partitions how
// many partitions the step's input has.
func (cx *Context) Task() int       { return int(cx.info.Task) }
func (cx *Context) Partitions() int { return int(cx.info.Partitions) }

// Inputs are the names of what the step reads; a record's Stream is an index
// of it. Outputs are the names of the step's outputs, the default one first.
func (cx *Context) Inputs() []string  { return cx.info.Inputs }
func (cx *Context) Outputs() []string { return cx.info.Outputs }

// ConfigJSON returns the step's config as JSON, nil if it has none. Package
// config decodes it.
func (cx *Context) ConfigJSON() []byte {
	if string(cx.info.Config) == "null" {
		return nil
	}
	return cx.info.Config
}

// Now returns the batch's time in nanoseconds since 1970: the largest event
// time in it, not the clock on the wall. It advances by a microsecond a call,
// so that a batch that runs again gets the same times.
func (cx *Context) Now() int64 { return host.Now() }

// Fail rejects r, a record of the batch, as an error that Step returns does;
// the job's on_error decides what follows.
func (cx *Context) Fail(r *Record, err error) { cx.fail(r.Index, codeOf(err), err.Error()) }

func (cx *Context) fail(index uint32, code int32, text string) {
	cx.stick(check("fail", "", host.Fail(index, code, text)))
}

// check turns a negative result of a call into an error.
func check(call, on string, result int32) error {
	if result >= 0 {
		return nil
	}
	return &CallError{Call: call, On: on, Errno: Errno(-result)}
}

// stick keeps the first error that no function of the step gets to see, or
// that concerns records which it handed over before: the call ends with it.
func (cx *Context) stick(err error) error {
	if cx.err == nil {
		cx.err = err
	}
	return err
}
