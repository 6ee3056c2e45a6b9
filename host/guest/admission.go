package guest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/host/guest/admit"
)

// Everything between a module's bytes and the compiler is in this file:
// what refuses, bounds or rewrites a module belongs here.

// Digest returns the name of a module: "sha256:" and the hex digits of its bytes.
func Digest(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// admit returns the bytes to compile for wasm, or why it is no step.
func (e *Engine) admit(wasm []byte) ([]byte, error) {
	shape, err := admit.Read(wasm)
	if err != nil {
		return nil, err
	}
	return wasm, shape.Check(e.host, e.memory)
}

// compile compiles on all CPUs. A panic of the compiler is an error.
func (e *Engine) compile(ctx context.Context, wasm []byte) (code wazero.CompiledModule, err error) {
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, fmt.Errorf("the compiler failed: %v", r)
		}
	}()
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	return e.runtime.CompileModule(ctx, wasm)
}
