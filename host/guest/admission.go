package guest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Digest returns the name of a module: "sha256:" and the hex digits of its bytes.
func Digest(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Admission is what Admit finds out.
type Admission struct {
	*admit.Module                  // nil if it was refused for its form or a limit
	Archive       *archive.Archive // nil if there is none
	Code          []byte           // the module's bytes: those given, or the archive's interpreter
}

// Admit takes a module, or the interpreter of an archive, apart and says what
// keeps it from running as a step, without compiling it. name is for errors.
func (e *Engine) Admit(ctx context.Context, b []byte, name string) (a Admission, err error) {
	m, err := e.open(b, name)
	if err != nil {
		return a, err
	}
	a.Archive = m.app
	if a.Code, err = m.bytes(ctx); err != nil {
		return a, fmt.Errorf("guest: module %s: %w", name, err)
	}
	a.Module, err = e.check(a.Code)
	return a, err
}

// check returns the module if it has the form of one, and what is wrong with
// it.
func (e *Engine) check(b []byte) (*admit.Module, error) {
	m, err := admit.Read(b, admit.Limits{})
	if err != nil {
		return nil, err
	}
	return m, m.Check(e.host, e.memory)
}

func (e *Engine) admit(b []byte) (*wasm.Module, error) {
	m, err := e.check(b)
	if err != nil {
		return nil, err
	}
	return m.Module, nil
}
