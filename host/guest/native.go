package guest

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
)

// NativeInstance is a step as Go code. An error that is a *Trap ends the
// instance as a trap of WebAssembly does; any other error becomes one of
// kind TrapCode. A panic is a bug of the program and not caught.
type NativeInstance interface {
	Batch(b *wire.Batch) (abi.Errno, error)
	End(token []byte) (more bool, status abi.Errno, err error)
}

// Native returns a module that is made of Go code: every instance is one that
// newInstance returns. An error of newInstance is a trap of kind TrapInit.
func Native(name string, newInstance func(Init, Calls) (NativeInstance, error)) Module {
	return &nativeModule{digest: Digest([]byte("native:" + name)), newInstance: newInstance}
}

type nativeModule struct {
	digest      string
	newInstance func(Init, Calls) (NativeInstance, error)
}

func (m *nativeModule) Digest() string { return m.digest }

func (m *nativeModule) Close(context.Context) error { return nil }

func (m *nativeModule) Instantiate(ctx context.Context, config Init, calls Calls) (Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	code, err := m.newInstance(config, calls)
	if err != nil {
		return nil, asTrap(err, TrapInit, m.digest)
	}
	return &nativeInstance{module: m, code: code}, nil
}

type nativeInstance struct {
	module *nativeModule
	code   NativeInstance
	used   time.Duration
	dead   error
}

func (in *nativeInstance) Batch(ctx context.Context, b *wire.Batch) (abi.Errno, error) {
	if err := in.check(ctx); err != nil {
		return abi.OK, err
	}
	defer in.clock()()
	status, err := in.code.Batch(b)
	return status, in.end(err)
}

func (in *nativeInstance) End(ctx context.Context, token []byte) (bool, abi.Errno, error) {
	if err := in.check(ctx); err != nil {
		return false, abi.OK, err
	}
	defer in.clock()()
	more, status, err := in.code.End(token)
	return more, status, in.end(err)
}

func (in *nativeInstance) check(ctx context.Context) error {
	if in.dead != nil {
		return in.dead
	}
	return ctx.Err()
}

func (in *nativeInstance) end(err error) error {
	if err != nil {
		in.dead = asTrap(err, TrapCode, in.module.digest)
	}
	return in.dead
}

// clock measures the CPU time until the function that it returns is called.
func (in *nativeInstance) clock() func() {
	runtime.LockOSThread()
	began := threadTime()
	return func() {
		in.used += max(0, threadTime()-began)
		runtime.UnlockOSThread()
	}
}

func (in *nativeInstance) MemoryBytes() uint64 { return 0 }

func (in *nativeInstance) Used() time.Duration { return in.used }

func (in *nativeInstance) Fuel() uint64 { return 0 }

func (in *nativeInstance) Close(context.Context) error {
	if in.dead == nil {
		in.dead = &Trap{Kind: TrapStop, Module: in.module.digest, Message: "the instance is closed"}
	}
	return nil
}

// asTrap returns err as a *Trap of the module.
func asTrap(err error, kind TrapKind, digest string) error {
	var t *Trap
	if errors.As(err, &t) {
		copied := *t
		copied.Module = digest
		return &copied
	}
	return &Trap{Kind: kind, Module: digest, Message: err.Error()}
}
