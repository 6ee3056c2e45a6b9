package guest

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/abi"
)

// start brings the instance up to the end of wasmill_init. On an error
// everything is freed.
func (in *instance) start(ctx context.Context) error {
	in.ctx.Context = ctx
	in.random.from("init", 0, 0)
	err := in.startUp()
	if err == nil {
		return nil
	}
	_ = in.Close(ctx) // the instance is dead; there is nothing to add to err
	return err
}

func (in *instance) startUp() error {
	m := in.module
	ctx := experimental.WithMemoryAllocator(&in.ctx, &in.linear)
	mod, err := m.engine.runtime.InstantiateModule(ctx, m.code, in.moduleConfig())
	if err != nil {
		in.linear.Free() // wazero does not close what it could not start
		return in.initTrap("the start function", in.kill(in.trap(err)))
	}
	in.mod, in.mem = mod, mod.Memory()
	in.alloc = mod.ExportedFunction(abi.ExportAlloc)
	in.process = mod.ExportedFunction(abi.ExportProcess)
	if f := mod.ExportedFunction(abi.ExportInitialize); f != nil {
		if _, err := in.call(f); err != nil {
			return in.initTrap(abi.ExportInitialize, err)
		}
	}
	ptr, view, err := in.place(len(in.config))
	if err != nil {
		return in.initTrap(abi.ExportAlloc, err)
	}
	copy(view, in.config)
	in.stack = [3]uint64{uint64(ptr), uint64(len(in.config))}
	status, err := in.call(mod.ExportedFunction(abi.ExportInit))
	if err != nil {
		return in.initTrap(abi.ExportInit, err)
	}
	if status < 0 {
		return in.initTrap("", in.kill(&Trap{Message: fmt.Sprintf("%s returned %s (%d)%s", abi.ExportInit, abi.Errno(-status), status, in.log.quote())}))
	}
	if status > 0 {
		return in.initTrap("", in.kill(&Trap{Message: fmt.Sprintf("%s returned %d: 0 or a negative error number is allowed", abi.ExportInit, status)}))
	}
	return nil
}

// initTrap says where in start-up err, a *Trap, happened.
func (in *instance) initTrap(where string, err error) error {
	var t *Trap
	if !errors.As(err, &t) {
		return err
	}
	if where != "" {
		t.Message = fmt.Sprintf("%s: %s", where, t.Message)
	}
	t.Kind = TrapInit
	return t
}
