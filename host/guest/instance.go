package guest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/image"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasi"
)

// instance is a running module. All of it belongs to the goroutine that is
// calling it.
type instance struct {
	module  *module
	form    *form
	kind    meter.Form
	mod     api.Module
	mem     api.Memory
	linear  *image.Memory
	alloc   api.Function // handles are cached: looking one up allocates its stack
	process api.Function
	ctx     callContext
	stack   [4]uint64 // arguments and result of a call into the guest
	program *program  // of a guest that speaks over fd 0 and 1, else nil
	cpu     cpu

	calls   Calls
	config  []byte // the JSON that init got
	many    []byte // what a state call keeps apart from guest memory, reused
	stores  int
	outputs []string
	limits  Limits
	log     *logger
	wasi    *wasi.State
	random  random
	metrics []definition // what init has defined, in order
	local   bool         // its metrics have handles that mean nothing to a later host

	busy    atomic.Bool // a call is running
	op      abi.Op      // of the call that is running, 0 during start-up
	placing bool        // wasmill_alloc has not returned yet
	records int         // of the batch that is running
	emitted int         // bytes of the frames that this call emitted
	fault   string      // first fault in the ABI that a host function met in this call
	dead    *Trap       // what ended the instance
}

// Batch implements Instance. It copies the frame into the guest's memory once.
func (in *instance) Batch(ctx context.Context, b *wire.Batch) (abi.Errno, error) {
	if err := in.begin(); err != nil {
		return abi.OK, err
	}
	defer in.busy.Store(false)
	var position uint64
	if len(b.Records) >= wire.RecordHeaderSize {
		position = uint64(firstPosition(b.Records))
	}
	in.random.from(b.Partition.Name, uint64(b.Partition.Number), position)
	size := b.FrameSize()
	in.records = b.Count
	limit := in.cpu.record
	if b.Count > 1 {
		limit = min(limit, severalTime)
	}
	in.cpu.parts = limit < in.cpu.record
	status, err := in.run(ctx, abi.OpBatch, limit, size, b, nil)
	if err == nil && status > 0 {
		err = in.kill(&Trap{Kind: TrapABI, Message: fmt.Sprintf("it returned %d for a batch: 0 or a negative error number is allowed", status)})
		return abi.OK, err
	}
	return abi.Errno(-status), err
}

// End implements Instance.
func (in *instance) End(ctx context.Context, token []byte) (bool, abi.Errno, error) {
	if err := in.begin(); err != nil {
		return false, abi.OK, err
	}
	defer in.busy.Store(false)
	in.random.from("end", 0, hash(token))
	in.records = 0
	in.cpu.parts = false
	status, err := in.run(ctx, abi.OpEnd, max(longTime, in.cpu.record), len(token), nil, token)
	switch {
	case err != nil:
		return false, abi.OK, err
	case status == abi.StatusMore:
		return true, abi.OK, nil
	case status > 0:
		err := in.kill(&Trap{Kind: TrapABI, Message: fmt.Sprintf("it returned %d for end: 0, 1 or a negative error number is allowed", status)})
		return false, abi.OK, err
	}
	return false, abi.Errno(-status), nil
}

// begin refuses a call while another one runs: an instance has one goroutine,
// and to hold to that is up to its caller.
func (in *instance) begin() error {
	if !in.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("guest: module %s: an instance was called while a call of it is running", in.module.name)
	}
	return nil
}

// run places a payload of size bytes, which is b as a frame or else token,
// and calls wasmill_process, which may use limit of CPU time.
func (in *instance) run(ctx context.Context, op abi.Op, limit time.Duration, size int, b *wire.Batch, token []byte) (status int32, err error) {
	if in.dead != nil {
		return 0, in.dead
	}
	if in.module.engine.closed.Load() {
		return 0, in.kill(&Trap{Kind: TrapStop, Message: "the engine is closed"})
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	in.op, in.placing, in.emitted, in.fault, in.ctx.Context = op, true, 0, "", ctx
	in.log.begin()
	in.wasi.Begin()
	if in.program != nil {
		in.placing = false
		return in.program.call(turn{ctx, quantum, limit}, op, size, b, token)
	}
	if err := in.cpu.enter(ctx, quantum, limit); err != nil {
		return 0, err
	}
	ptr, view, err := in.place(size)
	if err == nil {
		if b != nil {
			b.PutFrame(view)
		} else {
			copy(view, token)
		}
		in.placing = false
		in.stack = [4]uint64{uint64(op), uint64(ptr), uint64(size)}
		status, err = in.call(in.process)
	}
	in.cpu.leave()
	return status, err
}

// place asks the guest for size bytes and returns where they are. The view
// is good until the guest runs.
func (in *instance) place(size int) (ptr uint32, view []byte, err error) {
	if size > math.MaxInt32 {
		return 0, nil, in.kill(&Trap{Kind: TrapMemory, Message: fmt.Sprintf("%d bytes are too many for one call", size)})
	}
	in.stack[0] = uint64(size)
	got, err := in.call(in.alloc)
	if err != nil {
		return 0, nil, err
	}
	ptr = uint32(got)
	if ptr == 0 {
		return 0, nil, in.kill(&Trap{Kind: TrapMemory, Message: fmt.Sprintf("%s has no room for %d bytes%s", abi.ExportAlloc, size, in.memoryNote())})
	}
	view, ok := in.mem.Read(ptr, uint32(size))
	if !ok {
		return 0, nil, in.kill(&Trap{Kind: TrapABI, Message: fmt.Sprintf("%s(%d) returned %#x, but the memory has %d bytes", abi.ExportAlloc, size, ptr, in.mem.Size())})
	}
	if ptr%8 != 0 {
		return 0, nil, in.kill(&Trap{Kind: TrapABI, Message: fmt.Sprintf("%s(%d) returned %#x, which is not a multiple of 8", abi.ExportAlloc, size, ptr)})
	}
	return ptr, view, nil
}

// call runs f with the arguments in in.stack and returns its result. It is
// between cpu.enter and cpu.leave.
func (in *instance) call(f api.Function) (int32, error) {
	if err := f.CallWithStack(&in.ctx, in.stack[:]); err != nil {
		var u *unwind
		if errors.As(err, &u) && u.park {
			return 0, nil
		}
		if u != nil && u.err != nil {
			_ = in.kill(&Trap{Kind: TrapStop, Message: "the call was ended"})
			return 0, u.err
		}
		return 0, in.kill(in.trap(err))
	}
	if in.fault != "" {
		return 0, in.kill(&Trap{Kind: TrapABI, Message: in.fault})
	}
	return int32(in.stack[0]), nil
}

// kill makes t the end of the instance.
func (in *instance) kill(t *Trap) error {
	in.log.flush()
	t.Module = in.module.digest
	in.dead = t
	return t
}

// MemoryBytes implements Instance.
func (in *instance) MemoryBytes() uint64 {
	if in.mem == nil {
		return 0
	}
	return uint64(in.mem.Size())
}

// Used implements Instance.
func (in *instance) Used() time.Duration { return in.cpu.total }

// Fuel implements Instance.
func (in *instance) Fuel() uint64 { return in.cpu.spent }

// Close implements Instance. It may be called again.
func (in *instance) Close(ctx context.Context) error {
	if in.mod == nil {
		return nil
	}
	if in.program != nil {
		in.program.close()
	}
	in.log.close()
	mod := in.mod
	in.mod, in.mem = nil, nil
	in.cpu.close()
	if in.dead == nil {
		in.dead = &Trap{Kind: TrapStop, Module: in.module.digest, Message: "the instance is closed"}
	}
	if err := errors.Join(mod.Close(ctx), in.wasi.Close()); err != nil {
		return fmt.Errorf("guest: module %s: closing an instance: %w", in.module.name, err)
	}
	return nil
}
