package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

// program is the host's end of a guest that exports no functions but _start:
// it reads frames from fd 0 and writes frames to fd 1 (section 7 of the
// interface). The host serves both inside of fd_read and fd_write, so that
// there is no pipe.
//
// Until it parks, the guest is in the middle of _start, on a goroutine of its
// own that runs while a turn of the instance's goroutine lasts: one of the two
// waits for the other, always. A guest that parks has left _start, and is
// called like any other.
type program struct {
	in     *instance
	inbox  []byte // frames for the guest
	read   int    // bytes of inbox that it has read
	outbox []byte // what it has written of its next frame
	reply  []byte // room for replies, reused

	op      abi.Op // of the call that was handed over last
	serving bool   // it has not returned from that call
	called  bool   // there was a call
	status  int32  // what it returned

	parking *parking // it has said that it will park
	parked  *parking // nil until it has
	callee  api.Function
	decoder marshal.Decoder

	turns chan turn  // nil unless the goroutine lives; closed to end it
	done  chan error // the end of a turn
	group sync.WaitGroup
}

// turn is one call's leave to run.
type turn struct {
	ctx     context.Context
	quantum time.Duration
	limit   time.Duration // of CPU time
}

func newProgram(in *instance) *program {
	return &program{in: in, decoder: marshal.Decoder{RecordLimit: in.limits.Record, EmitLimit: in.limits.Emit}}
}

// startUp runs the program until it waits for its first call, or parks.
func (p *program) startUp(t turn) error {
	p.turns, p.done = make(chan turn), make(chan error)
	p.group.Go(p.main)
	if err := p.turn(t); err != nil {
		return p.in.initTrap("start-up", err)
	}
	if err := p.answered(); err != nil {
		return p.in.initTrap("start-up", err)
	}
	return p.find()
}

// init makes the first call.
func (p *program) init(t turn) error {
	p.in.log.begin()
	p.in.wasi.Begin()
	status, err := p.call(t, 0, 0, nil, p.in.config)
	return p.in.initEnd("init", status, err)
}

// call makes one call of the program.
func (p *program) call(t turn, op abi.Op, size int, b *wire.Batch, payload []byte) (int32, error) {
	p.inbox, p.read = p.inbox[:0], 0
	if err := p.handCall(op, size, b, payload); err != nil {
		return 0, err
	}
	p.op, p.serving, p.called = op, true, true
	if err := p.run(t); err != nil {
		return 0, err
	}
	return p.status, p.answered()
}

// handCall puts the frame of a call into the inbox.
func (p *program) handCall(op abi.Op, size int, b *wire.Batch, payload []byte) error {
	if b == nil {
		p.hand(kindCall, uint32(op), 0, payload)
		return nil
	}
	p.inbox = appendHeader(p.inbox, kindCall, uint32(op), 0)
	if p.parked != nil && p.parked.codec == codecMarshal {
		var err error
		if p.inbox, err = marshal.AppendBatch(p.inbox, b, p.parked.want); err != nil {
			return p.in.kill(&Trap{Kind: TrapMemory, Message: err.Error()})
		}
	} else {
		n := len(p.inbox)
		p.inbox = append(p.inbox, make([]byte, size)...)
		b.PutFrame(p.inbox[n:])
	}
	p.inbox = closeFrame(p.inbox, 0)
	return nil
}

// run lets the guest run until it has done what is in the inbox.
func (p *program) run(t turn) error {
	if p.parked == nil {
		return p.turn(t)
	}
	in := p.in
	if err := in.cpu.enter(t.ctx, t.quantum, t.limit); err != nil {
		return err
	}
	defer in.cpu.leave()
	in.stack = [4]uint64{uint64(p.parked.address)}
	object, err := in.call(p.callee)
	if err == nil && object == 0 {
		err = in.kill(&Trap{Kind: TrapABI, Message: "what it parked let an exception out" + in.log.quote()})
	}
	return err
}

// turn lets the goroutine run until it waits for the next call, or ends.
func (p *program) turn(t turn) error {
	if p.turns == nil {
		return p.in.kill(&Trap{Kind: TrapABI, Message: "the program has ended" + p.in.log.quote()})
	}
	p.turns <- t
	return <-p.done
}

// main is the goroutine of a program that has not parked.
func (p *program) main() {
	if !p.await() {
		return
	}
	_, err := p.in.call(p.in.mod.ExportedFunction(abi.ExportStart))
	if errors.Is(err, errClosed) {
		return
	}
	p.in.cpu.leave()
	p.turns = nil // the instance's goroutine reads it behind done
	if p.parked != nil {
		err = nil
	} else if err == nil {
		err = p.in.kill(&Trap{Kind: TrapExit, Message: "the program has ended" + p.in.log.quote() + framesNote})
	}
	p.done <- err
}

const framesNote = ": a step is a library with the exports of a wasmill SDK, or a program that reads frames from standard input until that ends (abi/SPEC.md, section 7)"

// errClosed ends a program that waits for a call.
var errClosed = errors.New("guest: the instance is closed")

// await waits for a turn and begins it. It returns false if there is none to
// come.
func (p *program) await() bool {
	for t := range p.turns {
		err := p.in.cpu.enter(t.ctx, t.quantum, t.limit)
		if err == nil {
			return true
		}
		p.done <- err
	}
	return false
}

// close ends the goroutine.
func (p *program) close() {
	if p.turns != nil {
		close(p.turns)
	}
	p.group.Wait()
	p.turns = nil
}

// Read is what the guest reads from fd 0. At the end of what there is, a
// program that has answered waits for the next call; one that has not would
// wait for ever, so that is the end of its input.
func (p *program) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if p.parking != nil {
		p.fault("it parks, and then reads standard input: it has to read the clock (abi/SPEC.md, section 7)")
	}
	if p.read == len(p.inbox) && !p.serving && p.parked == nil {
		p.in.cpu.leave()
		p.done <- nil
		if !p.await() {
			panic(&unwind{err: errClosed})
		}
	}
	n := copy(b, p.inbox[p.read:])
	p.read += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// answered holds the guest to its side of a call: all that it was given is
// read, and all that it wrote are frames, the last of which returned.
func (p *program) answered() error {
	what := ""
	switch {
	case p.serving:
		what = "without having answered"
	case p.read < len(p.inbox):
		what = fmt.Sprintf("with %d bytes of standard input unread", len(p.inbox)-p.read)
	case len(p.outbox) > 0:
		what = fmt.Sprintf("with %d bytes of a frame written", len(p.outbox))
	default:
		return nil
	}
	from := "start-up"
	if p.called {
		from = callName(p.op)
	}
	return p.in.kill(&Trap{Kind: TrapABI, Message: "the program came back from " + from + " " + what + p.in.log.quote()})
}

func callName(op abi.Op) string {
	if op == 0 {
		return "init"
	}
	return op.String()
}
