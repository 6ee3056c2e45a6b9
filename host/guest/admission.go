package guest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Digest returns the name of a module: "sha256:" and the hex digits of its bytes.
func Digest(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Admit takes a module apart and says what keeps it from running as a step,
// without compiling it. What was refused for its form or a limit has no
// Module; what was refused for what it imports or exports does.
func (e *Engine) Admit(b []byte) (*admit.Module, error) {
	m, err := admit.Read(b, admit.Limits{})
	if err != nil {
		return nil, err
	}
	return m, m.Check(e.host, e.memory)
}

func (e *Engine) admit(b []byte) (*wasm.Module, error) {
	m, err := e.Admit(b)
	if err != nil {
		return nil, err
	}
	return m.Module, nil
}
