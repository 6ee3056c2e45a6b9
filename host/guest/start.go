package guest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/image"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasi"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// starter makes one instance.
type starter struct {
	module  *module
	config  Init
	payload []byte // config as init gets it
	calls   Calls
	alone   *wasi.Config // of a program that is run once; it is no step
}

// start makes an instance that is behind init. The image of a program is from
// before: it serves every payload, and init is a call like any other. A program
// whose init takes longer than its quantum stays in the patient form.
func (s *starter) start(ctx context.Context) (Instance, error) {
	in, err := s.ready(ctx, s.wanted(), startQuantum)
	if s.module.program && quantumOver(err) {
		in, err = s.ready(ctx, patient, quantum)
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// ready makes an instance that is behind init. On an error everything is freed.
func (s *starter) ready(ctx context.Context, want meter.Form, q time.Duration) (*instance, error) {
	in, err := s.begin(ctx, want)
	if err != nil || in.program == nil {
		return in, err
	}
	if err := in.program.init(turn{ctx, q, longTime}); err != nil {
		_ = in.Close(ctx) // the instance is dead; there is nothing to add to err
		return nil, err
	}
	return in, nil
}

// begin makes an instance from an image, and without one from nothing.
// Start-up is tried in the form that is wanted and, if that does not get
// through in time, in the patient one; since an image fits all forms, the
// instance need not stay in it.
func (s *starter) begin(ctx context.Context, want meter.Form) (*instance, error) {
	key := s.imageKey()
	img, release := s.module.engine.images.get(key)
	defer release()
	if img != nil {
		in, err := s.resume(ctx, want, img)
		switch {
		case err == nil:
			return in, nil
		case !errors.Is(err, errImage):
			return nil, err
		}
		s.module.engine.images.drop(key, err)
	}
	in, err := s.fresh(ctx, want)
	if quantumOver(err) {
		in, err = s.fresh(ctx, patient)
	}
	if err != nil {
		return nil, err
	}
	done := func() {}
	if err := in.cpu.outside(ctx, func() { img, done = in.image() }); err != nil {
		return nil, errors.Join(err, in.Close(ctx))
	}
	defer done()
	if img == nil {
		return in, nil
	}
	s.module.engine.images.put(key, img, in.cpu.total)
	if in.kind != want {
		if err := in.Close(ctx); err != nil {
			return nil, err
		}
		in, err = s.resume(ctx, want, img)
	} else {
		err = in.resumed(ctx)
	}
	if err != nil {
		return nil, err
	}
	return in, nil
}

// wanted is the form that the instance is to run in.
func (s *starter) wanted() meter.Form {
	switch {
	case s.config.Run.Fuel > 0:
		return counted
	case s.config.Run.Patient:
		return patient
	}
	return fast
}

func quantumOver(err error) bool {
	var t *Trap
	return errors.As(err, &t) && t.over
}

// make makes an instance in which nothing has run yet.
func (s *starter) make(ctx context.Context, kind meter.Form, img *image.Image) (in *instance, err error) {
	m := s.module
	in = &instance{module: m, kind: kind, calls: s.calls, config: s.payload, stores: len(s.config.Stores), outputs: s.config.Outputs, limits: s.config.Limits}
	in.ctx.in, in.ctx.Context = in, ctx
	in.log = newLogger(s.calls, m.engine.now, in.limits.LogRate)
	in.cpu = cpu{share: m.engine.shareOf(s.config), record: s.config.Run.RecordTime, budget: s.config.Run.Fuel, stay: kind == patient}
	if in.cpu.record == 0 {
		in.cpu.record = DefaultRecordTime
	}
	if in.form, err = m.form(ctx, kind); err != nil {
		return nil, err
	}
	if m.program {
		in.program = newProgram(in)
	}
	surroundings := in.surroundings()
	if s.alone != nil {
		surroundings = *s.alone
		surroundings.Random = &in.random
	}
	if in.wasi, err = wasi.New(surroundings); err != nil {
		return nil, fmt.Errorf("guest: module %s: %w", m.name, err)
	}
	if in.linear, err = image.NewMemory(image.Options{Limit: in.limits.Memory, Account: m.engine.tenant.account, Image: img}); err != nil {
		return nil, fmt.Errorf("guest: module %s: %w", m.name, err)
	}
	// wazero panics if there is no room for what a memory begins with. What is
	// reserved here it finds there.
	if begin := uint64(in.form.code.ExportedMemories()[abi.ExportMemory].Min()) * wasm.PageSize; in.linear.Reallocate(begin) == nil {
		defer in.linear.Free()
		return nil, fmt.Errorf("guest: module %s: no memory for an instance, which begins with %d bytes: %s", m.name, begin, in.linear.Refused())
	}
	// The instance has no name, so that any number of them live side by side;
	// no function runs, because start-up calls what there is itself.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	waited := in.cpu.outside(ctx, func() {
		in.mod, err = m.engine.runtime.InstantiateModule(experimental.WithMemoryAllocator(&in.ctx, in.linear), in.form.code, config)
	})
	switch {
	case waited != nil:
		in.linear.Free()
		return nil, waited
	case err != nil:
		in.linear.Free() // wazero does not close what it could not start
		return nil, fmt.Errorf("guest: module %s: %s", m.name, clean(err.Error(), 512))
	}
	in.mem = in.mod.Memory()
	if !m.program {
		in.alloc = in.mod.ExportedFunction(abi.ExportAlloc)
		in.process = in.mod.ExportedFunction(abi.ExportProcess)
	}
	if err := in.watch(); err != nil {
		return nil, errors.Join(err, in.Close(ctx))
	}
	return in, nil
}

// watch gives the instance its share of the CPU and puts it under the dog's eye.
func (in *instance) watch() error {
	e := in.module.engine
	flag, err := watchdog.FlagOf(in.global(meter.ExportFlag))
	if err == nil {
		in.cpu.slot, err = e.dog.Slot(flag)
	}
	if err != nil {
		return fmt.Errorf("guest: module %s: %w", in.module.name, err)
	}
	if in.kind == counted {
		in.cpu.fuel = in.global(meter.ExportFuel)
	}
	return nil
}

// global returns a global that the rewriter exports.
func (in *instance) global(name string) api.MutableGlobal {
	g, _ := in.mod.ExportedGlobal(name).(api.MutableGlobal)
	return g
}

// fresh makes an instance and takes it to the end of wasmill_init, or to where
// a program waits for its first call. On an error everything is freed.
func (s *starter) fresh(ctx context.Context, kind meter.Form) (*instance, error) {
	in, err := s.make(ctx, kind, nil)
	if err != nil {
		return nil, err
	}
	in.random.from("init", 0, 0)
	if err := in.data(ctx); err != nil {
		return nil, errors.Join(err, in.Close(ctx))
	}
	q := startQuantum
	if kind == patient {
		q = quantum // it goes on anyway
	}
	if in.program != nil {
		err = in.program.startUp(turn{ctx, q, longTime})
	} else if err = in.cpu.enter(ctx, q, longTime); err == nil {
		err = in.startUp()
		in.cpu.leave()
	}
	if err != nil {
		_ = in.Close(ctx) // the instance is dead; there is nothing to add to err
		return nil, err
	}
	return in, nil
}

// data writes what the module's data segments hold.
func (in *instance) data(ctx context.Context) error {
	if len(in.form.Data) == 0 {
		return nil
	}
	b, err := in.module.bytes(ctx)
	if err != nil {
		return fmt.Errorf("guest: module %s: %w", in.module.name, err)
	}
	for _, d := range in.form.Data {
		if uint64(d.from)+uint64(d.size) > uint64(len(b)) || !in.mem.Write(d.at, b[d.from:d.from+d.size]) {
			return fmt.Errorf("guest: module %s: its data at %#x lies beyond its memory", in.module.name, d.at)
		}
	}
	return nil
}

func (in *instance) startUp() error {
	for _, f := range []struct{ export, what string }{{in.form.Start, "the start function"}, {abi.ExportInitialize, abi.ExportInitialize}} {
		if call := in.mod.ExportedFunction(f.export); f.export != "" && call != nil {
			if _, err := in.call(call); err != nil {
				return in.initTrap(f.what, err)
			}
		}
	}
	ptr, view, err := in.place(len(in.config))
	if err != nil {
		return in.initTrap(abi.ExportAlloc, err)
	}
	copy(view, in.config)
	in.stack = [4]uint64{uint64(ptr), uint64(len(in.config))}
	status, err := in.call(in.mod.ExportedFunction(abi.ExportInit))
	return in.initEnd(abi.ExportInit, status, err)
}

// initEnd judges how init ended.
func (in *instance) initEnd(name string, status int32, err error) error {
	switch {
	case err != nil:
		return in.initTrap(name, err)
	case status < 0:
		return in.initTrap("", in.kill(&Trap{Message: fmt.Sprintf("%s returned %s (%d)%s", name, abi.Errno(-status), status, in.log.quote())}))
	case status > 0:
		return in.initTrap("", in.kill(&Trap{Message: fmt.Sprintf("%s returned %d: 0 or a negative error number is allowed", name, status)}))
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
	t.over = t.Kind == TrapQuantum
	t.Kind = TrapInit
	return t
}

// resumed tells the guest that it goes on from an image, with a seed that
// depends on its place in the job alone. A guest need not know the operation.
func (in *instance) resumed(ctx context.Context) error {
	var seed [32]byte
	h := fnv.New64a()
	h.Write(in.config)
	in.random.from("resumed", h.Sum64(), 0)
	_, _ = in.random.Read(seed[:]) // never fails
	status, err := in.run(ctx, abi.OpResumed, longTime, len(seed), nil, seed[:])
	in.op = 0
	if err == nil && status != 0 && abi.Errno(-status) != abi.ENOSYS {
		err = in.kill(&Trap{Message: fmt.Sprintf("it returned %d for resumed: 0 or ENOSYS is allowed", status)})
	}
	if err != nil {
		err = in.initTrap("going on from an image", err)
		_ = in.Close(ctx) // the instance is dead; there is nothing to add to err
	}
	return err
}
