// Package tenant runs a job in a process of its own, the worker, which may be
// killed at any moment: by its memory, by a guest that stops it, by a person.
// The supervisor, in the process that a user started, watches the worker and
// starts another one, which goes on from the last commit.
//
// The two speak net/rpc over a socket of hashicorp/go-plugin. What one has to
// say to the other is in wire.go; everything else of a job, its state and its
// guests, is in the worker alone.
package tenant

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// Request is what a worker is told about its job. The binary's Setup makes
// host.Options of it.
type Request struct {
	File      string
	Overrides jobspec.Overrides
	Fresh     bool
	CacheDir  string
	LogLevel  string // debug, info, warn or error
	Heap      int64  // of the Go heap in bytes, beyond which it is collected more often; 0 = no such bound
}

// Options are the settings of a Job.
type Options struct {
	Request

	Registry *plugins.Registry // to read the job file here too
	Stdout   *os.File          // what sinks print to
	Stderr   io.Writer         // gets what the worker logs, in whole lines, from one goroutine
	Log      *slog.Logger      // of the supervisor; nil = nothing

	// Memory is the limit of the worker, in bytes. Default: limits.memory for
	// each task of each step with a module, and 512 MiB.
	// It is held by looking at what is resident once a second; twice of it is
	// what the worker can reserve at all.
	Memory uint64

	// CPUs is how many CPUs the worker may use, if a control group can be made
	// for it; 0 = all.
	CPUs float64

	Heartbeat time.Duration // without an answer within it the worker is killed; default 10 s
	Restarts  int           // in a row without a new epoch, then the job fails; default 10

	// Pause is the time before the first restart. It doubles with each one
	// that follows without a new epoch, up to 30 s. Default 100 ms.
	Pause time.Duration

	// Command starts a worker; its main must begin with Main. An argument is
	// appended. Default: the binary that runs.
	Command []string

	// Stopped is called when the worker has cancelled its run by itself, with
	// the cause that Setup gave; nil = nothing.
	Stopped func(cause string)
}

const longestPause = 30 * time.Second

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 10 * time.Second
	}
	if o.Restarts <= 0 {
		o.Restarts = 10
	}
	if o.Pause <= 0 {
		o.Pause = 100 * time.Millisecond
	}
	if len(o.Command) == 0 {
		o.Command = []string{"/proc/self/exe"} // of which the file may have been replaced
	}
}
