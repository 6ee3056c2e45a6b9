package corpus

import (
	"context"
	_ "embed" // the scripts
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
)

//go:embed testdata/python/guest.py
var pythonScript string

//go:embed testdata/js/guest.js
var javaScript string

// startCPython runs the script as `python -c` does; the standard library is in
// the module.
func startCPython(ctx context.Context, instantiate Instantiate) (*Instance, error) {
	return startTalk(ctx, instantiate, []string{"python", "-I", "-c", pythonScript}, func(ctx context.Context, m api.Module) error {
		_, err := m.ExportedFunction("_start").Call(ctx)
		return err
	})
}

// startQuickJS runs the script as `qjs --std -e` does: the reactor takes those
// arguments from an array in memory.
func startQuickJS(ctx context.Context, instantiate Instantiate) (*Instance, error) {
	args := []string{"qjs", "--std", "-e", javaScript}
	return startTalk(ctx, instantiate, args, func(ctx context.Context, m api.Module) error {
		if _, err := m.ExportedFunction(abi.ExportInitialize).Call(ctx); err != nil {
			return err
		}
		argv, err := writeArgs(ctx, m, args)
		if err != nil {
			return err
		}
		out, err := m.ExportedFunction("qjs_init_argv").Call(ctx, uint64(len(args)), uint64(argv))
		if err != nil {
			return err
		}
		if status := int32(out[0]); status != 0 {
			return fmt.Errorf("qjs_init_argv returned %d", status)
		}
		return nil
	})
}

// writeArgs puts an argv of C into memory that the guest's malloc gives.
func writeArgs(ctx context.Context, m api.Module, args []string) (uint32, error) {
	size := 4 * (len(args) + 1)
	for _, a := range args {
		size += len(a) + 1
	}
	out, err := m.ExportedFunction("malloc").Call(ctx, uint64(size))
	if err != nil {
		return 0, err
	}
	argv := uint32(out[0])
	mem, text := m.Memory(), argv+uint32(4*(len(args)+1))
	ok := argv != 0 && mem.WriteUint32Le(text-4, 0)
	for i, a := range args {
		ok = ok && mem.WriteUint32Le(argv+uint32(4*i), text) && mem.WriteString(text, a+"\x00")
		text += uint32(len(a) + 1)
	}
	if !ok {
		return 0, fmt.Errorf("no room for %d bytes of arguments: malloc returned %#x", size, argv)
	}
	return argv, nil
}

// startTalk starts a guest that main runs for as long as there is standard input.
func startTalk(ctx context.Context, instantiate Instantiate, args []string, main func(context.Context, api.Module) error) (*Instance, error) {
	t := newTalk()
	module, err := instantiate(ctx, wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithArgs(args...).WithStdin(t.in).WithStdout(output{t.out}).WithStderr(&t.stderr))
	if err != nil {
		return nil, err
	}
	t.run(func() error { return main(ctx, module) })
	return &Instance{module: module, talk: t}, nil
}
