// Package guest runs a step's logic. Module is compiled code, Instance is
// running code, Calls is what it may ask of the host: a step in WebAssembly
// and a Go function of a test stand behind the same three.
package guest

import (
	"context"
	"fmt"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
)

// Module is compiled code, good for any number of instances. It is safe for
// concurrent use.
type Module interface {
	// Digest identifies the code: "sha256:" and hex digits.
	Digest() string

	// Instantiate makes an instance and calls its init with config. calls
	// serves the instance for as long as it lives; during Instantiate only
	// Log, LogEnabled and the metric calls are made.
	Instantiate(ctx context.Context, config Init, calls Calls) (Instance, error)

	Close(ctx context.Context) error
}

// Instance is running code with a memory of its own. It is used by one
// goroutine at a time. After an error of type *Trap it is dead: Close it.
type Instance interface {
	// Batch runs one batch. b is the caller's and not changed. A status other
	// than OK means that the guest refuses the whole batch.
	Batch(ctx context.Context, b *wire.Batch) (status abi.Errno, err error)

	// End tells the end of a bounded input. token is what the guest passed to
	// Resume in the call before, nil at first. more asks for another call.
	End(ctx context.Context, token []byte) (more bool, status abi.Errno, err error)

	// MemoryBytes is the size of the instance's memory now.
	MemoryBytes() uint64

	// Used is the CPU time that the instance has used in all its calls, what
	// the host did for it in them included.
	Used() time.Duration

	// Fuel is what the last call used of Run.Fuel, 0 without it: a measure of
	// the instructions that ran, which is the same in every run.
	Fuel() uint64

	Close(ctx context.Context) error
}

// Init is what a step's init receives, as JSON in spec order; the indices of
// Inputs, Outputs and Stores are the numbers used in calls.
type Init struct {
	ABIMinor   int      `json:"abi_minor"` // Instantiate sets it
	Tenant     string   `json:"tenant"`
	Job        string   `json:"job"`
	Step       string   `json:"step"`
	Task       int      `json:"task"`
	Partitions int      `json:"partitions"`
	Config     any      `json:"config"`
	Inputs     []string `json:"inputs"`
	Outputs    []string `json:"outputs"`
	Stores     []string `json:"stores"`
	Lookups    []string `json:"lookups"`
	Limits     Limits   `json:"limits"`
	Run        Run      `json:"-"`
}

// Run says how an instance is run: what its guest does not see.
type Run struct {
	// RecordTime is the CPU time that a call for one record may use; default
	// 1 s. A call that overruns it ends in a TrapTimeout.
	RecordTime time.Duration

	// Patient lets a call use all of RecordTime, a quantum at a time, or 100 ms
	// if it has several records. Without it a call that does not return within
	// a quantum of 10 ms ends in a TrapQuantum, as a patient one of several
	// records does after 100 ms: it is to be made again, smaller or patiently.
	// It slows the guest by a few per cent.
	Patient bool

	// Fuel, if it is not 0, is what each call may use of it; one that needs
	// more ends in a TrapTimeout, at the same place in every run. Nothing else
	// ends such a call, and the garbage collector waits for it: it is for
	// tests.
	Fuel uint64
}

// Limits are the limits of one instance, in bytes; 0 means the default of abi.
type Limits struct {
	Memory     uint64 `json:"memory"` // default that of the engine, which is also the most
	Record     int    `json:"record"`
	Batch      int    `json:"batch"`
	Emit       int    `json:"emit"`
	Key        int    `json:"key"`
	StateValue int    `json:"state_value"`
	LogRate    int    `json:"log_rate"` // a second; negative = nothing
}

// Calls is what an instance may ask of the host. All slices that come in are
// views of guest memory, good for the length of the call; what goes out is
// copied by the caller before the next call. A result other than OK goes to
// the guest as it is.
//
// What comes from WebAssembly was checked by the instance as far as the
// interface and Init say what is right: the time of the call, addresses,
// levels, kinds and names of metrics, numbers of inputs and stores, lengths
// of keys, values and tokens, and of the frames of a call together. Native
// code is trusted with that.
type Calls interface {
	// Emit takes a frame of records, with whatever in it. A malformed one is
	// refused with EINVAL. Any refusal ends the batch as a fault in the ABI.
	Emit(frame []byte) abi.Errno

	// Fail rejects one input of the batch; a refusal is as with Emit.
	Fail(index uint32, code int32, message []byte) abi.Errno

	// StateGet returns a value, or ENOENT.
	StateGet(store uint32, key []byte) ([]byte, abi.Errno)
	StatePut(store uint32, key, value []byte) abi.Errno
	StateDelete(store uint32, key []byte) abi.Errno

	// StateScan writes entries of [start, end) in key order into buf, each a
	// u32 key length, a u32 value length, key and value; as many as fit. An
	// empty end is open. It returns the bytes written, 0 at the end, or the
	// bytes that the first entry needs if that is more than len(buf).
	StateScan(store uint32, start, end, buf []byte) (int, abi.Errno)

	// Resume sets the token of the next End; the last call counts.
	Resume(token []byte) abi.Errno

	// Now returns the batch's time in nanoseconds since 1970; it advances by
	// 1 µs a call.
	Now() int64

	LogEnabled(level Level) bool
	Log(level Level, message []byte)

	// MetricDefine returns the handle of a counter or gauge; MetricAdd adds to
	// it.
	MetricDefine(kind MetricKind, name []byte) (uint32, abi.Errno)
	MetricAdd(handle uint32, delta int64) abi.Errno
}

// Level is the level of a log line.
type Level int32

// The levels of slog, by 4.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// MetricKind is the kind of a metric.
type MetricKind int32

// The kinds of metrics.
const (
	Counter MetricKind = iota
	Gauge
)

// TrapKind says how a call into a guest ended badly.
type TrapKind string

// The kinds of traps.
const (
	TrapCode   TrapKind = "trap"    // unreachable, out of bounds, divide by zero, stack overflow
	TrapExit   TrapKind = "exit"    // the guest called exit, whatever the code
	TrapABI    TrapKind = "abi"     // a bad address or a malformed frame
	TrapMemory TrapKind = "memory"  // wasmill_alloc returned 0, or the memory limit was met
	TrapInit   TrapKind = "init"    // start-up or init failed
	TrapStatus TrapKind = "refused" // a negative status: the guest refuses the batch
	TrapStop   TrapKind = "stopped" // the host ended the call

	TrapTimeout TrapKind = "timeout" // the call used more CPU time than its records may
	TrapQuantum TrapKind = "quantum" // the call has to be made again: see Run.Patient
)

// Trap is the end of an instance: which function, and what happened. Step,
// batch and record are known to the caller and added there.
type Trap struct {
	Kind     TrapKind
	Module   string  // digest
	Function string  // innermost function, if known
	Frames   []Frame // guest functions, innermost first, at most 32
	Message  string  // without host paths or Go stacks

	over bool // a quantum was over during start-up
}

func (t *Trap) Error() string {
	if t.Function == "" {
		return fmt.Sprintf("%s: %s", t.Kind, t.Message)
	}
	return fmt.Sprintf("%s in %s: %s", t.Kind, t.where(), t.Message)
}
