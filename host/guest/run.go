package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/wasi"
)

// Program says how RunProgram runs a program.
type Program struct {
	Args  []string // its name first
	Env   []string // pairs of the form NAME=value
	Files fs.FS    // read-only at Dir; nil for none
	Dir   string   // default: "/app"

	Stdin  io.Reader // default: nothing
	Stdout io.Writer // default: dropped
	Stderr io.Writer // default: dropped

	Time time.Duration // of the CPU; default 10 minutes
}

// RunProgram runs a module that has _start once, to its end, in the sandbox of
// a step and not as one: what an interpreter does for a build. It returns the
// code that the program exits with. The error is of the host, or a *Trap.
func (e *Engine) RunProgram(ctx context.Context, wasm []byte, name string, o Program) (code uint32, err error) {
	if o.Time == 0 {
		o.Time = 10 * time.Minute
	}
	if o.Dir == "" {
		o.Dir = appDir
	}
	m, err := e.open(wasm, name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, m.Close(ctx)) }()
	limits := Limits{}.WithDefaults()
	limits.Memory = e.memory
	s := &starter{module: m, config: Init{Limits: limits}, calls: deaf{}}
	s.alone = &wasi.Config{Args: o.Args, Env: o.Env, Files: o.Files, Dir: o.Dir, Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr}
	in, err := s.make(ctx, patient, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close(ctx)) }()
	start := in.mod.ExportedFunction(abi.ExportStart)
	if start == nil {
		return 0, fmt.Errorf("guest: module %s: it has no _start: it is no program", name)
	}
	in.random.from("init", 0, 0)
	if err := in.data(ctx); err != nil {
		return 0, err
	}
	if err := in.cpu.enter(ctx, quantum, o.Time); err != nil {
		return 0, err
	}
	err = start.CallWithStack(&in.ctx, in.stack[:])
	in.cpu.leave()
	var exit *sys.ExitError
	var u *unwind
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode(), nil
	case errors.As(err, &u) && u.err != nil:
		return 0, u.err
	case err != nil:
		return 0, in.kill(in.trap(err))
	}
	return 0, nil
}

// deaf is a host that an instance asks for nothing.
type deaf struct{}

func (deaf) Emit([]byte) abi.Errno                                     { return abi.ENOSYS }
func (deaf) Fail(uint32, int32, []byte) abi.Errno                      { return abi.ENOSYS }
func (deaf) StateGet(uint32, []byte) ([]byte, abi.Errno)               { return nil, abi.ENOSYS }
func (deaf) StatePut(uint32, []byte, []byte) abi.Errno                 { return abi.ENOSYS }
func (deaf) StateDelete(uint32, []byte) abi.Errno                      { return abi.ENOSYS }
func (deaf) StateScan(uint32, []byte, []byte, []byte) (int, abi.Errno) { return 0, abi.ENOSYS }
func (deaf) Resume([]byte) abi.Errno                                   { return abi.ENOSYS }
func (deaf) Now() int64                                                { return 0 }
func (deaf) LogEnabled(Level) bool                                     { return false }
func (deaf) Log(Level, []byte)                                         {}
func (deaf) MetricDefine(MetricKind, []byte) (uint32, abi.Errno)       { return 0, abi.ENOSYS }
func (deaf) MetricAdd(uint32, int64) abi.Errno                         { return abi.ENOSYS }
