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

// admit takes wasm apart, or says why it is no step.
func (e *Engine) admit(b []byte) (*wasm.Module, error) {
	m, err := admit.Read(b, admit.Limits{})
	if err == nil {
		err = m.Check(e.host, e.memory)
	}
	if err != nil {
		return nil, err
	}
	return m.Module, nil
}
