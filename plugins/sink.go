package plugins

import (
	"context"

	"github.com/wasmill/wasmill/abi/wire"
)

// Delivery says what a sink can promise.
type Delivery int

// The kinds of delivery.
const (
	// TwoPhase sinks make nothing visible, or nothing that recovery cannot
	// take back, until Finalise: exactly once.
	TwoPhase Delivery = iota
	// Replay sinks hand on in Finalise what the token holds; a crash between
	// the decision and the end of Finalise repeats the last epoch.
	Replay
)

// A Sink takes records out of the job.
type Sink interface {
	// Open returns the writer of one task and brings the outside to exactly
	// what token says was committed last: it takes back what came later,
	// finishes what was decided and not finalised, and leaves other tasks'
	// things alone. token is nil before the first commit. finalised tells
	// that the run before ended cleanly, so nothing is left to finish.
	Open(ctx context.Context, w Writer, token []byte, finalised bool) (SinkWriter, error)

	// Drop removes all that earlier runs of the job have written: --fresh.
	Drop(ctx context.Context) error

	Close() error
}

// A Finder is a Sink whose recovery removes what it finds at its place and no
// token knows. It is asked before the first run of a job, when whatever is
// there was written by somebody else.
type Finder interface {
	// Found names one such thing; "" = there is none.
	Found(ctx context.Context) (what string, err error)
}

// Writer says whose writer a SinkWriter is.
type Writer struct {
	Job        string
	Sink       string
	Task       int    // number in the plan, the same in each run
	Generation uint64 // grows with each start of the job on this state
}

// A SinkWriter writes what one task sends to one sink. The host calls, for
// each epoch and on one goroutine at a time: Write any number of times,
// Prepare, and once the epoch is decided Finalise. If an epoch is not
// decided the writer is closed and a new one opened with the last token.
type SinkWriter interface {
	// Write takes the records of b, which is the caller's again afterwards.
	Write(ctx context.Context, b *wire.Batch) error

	// Prepare makes everything written durable and returns the token under
	// which it can be finalised, also by another process. end tells that
	// nothing follows. The token is committed with the epoch.
	Prepare(ctx context.Context, end bool) (token []byte, err error)

	// Finalise makes visible what the last Prepare promised. It is idempotent.
	Finalise(ctx context.Context) error

	Close() error
}
