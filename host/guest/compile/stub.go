package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Module is what is to be compiled.
type Module struct {
	// Stub is Stub of the module.
	Stub []byte

	// Whole returns the module. It is called if there is no machine code of it
	// yet.
	Whole func() ([]byte, error)
}

// stubOf names the section in which a stub has the SHA-256 of its module.
const stubOf = "wasmill.stub_of"

// Stub returns a module that differs from a valid one in its functions, which
// have no code. wazero, which decodes and validates code again each time that
// it loads what it has compiled, gets it in its place: what an instance needs
// to know of the module is outside of its functions.
func Stub(whole []byte) ([]byte, error) {
	const header = 8
	if len(whole) < header {
		return nil, errNoModule
	}
	stub := append([]byte(nil), whole[:header]...)
	for rest := whole[header:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errNoModule
		}
		section, content := rest[:1+n+int(size)], rest[1+n:1+n+int(size)]
		rest = rest[len(section):]
		if id != wasm.SecCode {
			stub = append(stub, section...)
			continue
		}
		functions, n := binary.Uvarint(content)
		if n <= 0 || functions > uint64(len(content)) {
			return nil, errNoModule
		}
		code := append([]byte(nil), content[:n]...)
		for range functions {
			code = append(code, 3, 0, unreachable, end) // its size, no locals
		}
		stub = appendSection(stub, wasm.SecCode, code)
	}
	sum := sha256.Sum256(whole)
	name := append([]byte{byte(len(stubOf))}, stubOf...)
	return appendSection(stub, wasm.SecCustom, append(name, sum[:]...)), nil
}

const unreachable, end = 0x00, 0x0b

var errNoModule = errors.New("compile: the sections of a module cannot be told apart")

func appendSection(b []byte, id byte, content []byte) []byte {
	b = binary.AppendUvarint(append(b, id), uint64(len(content)))
	return append(b, content...)
}

// check says what is wrong if whole is not the module of the stub.
func (m *Module) check(whole []byte) error {
	stub, err := Stub(whole)
	if err == nil && !bytes.Equal(stub, m.Stub) {
		err = errors.New("compile: the module is not that of its stub")
	}
	return err
}
