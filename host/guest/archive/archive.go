// Package archive reads and writes .wasmill archives: a step that an
// interpreter runs, as one file. FORMAT.md has the layout.
package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Ext is how the name of an archive ends.
const Ext = ".wasmill"

// Format is the version of the layout.
const Format = 1

// Bounds of what is read.
const (
	MaxStep        = 64 << 10  // bytes of step.json
	MaxApp         = 128 << 20 // bytes of app.zip
	MaxInterpreter = 64 << 20  // bytes of interpreter.wasm
	MaxFiles       = 20_000    // in app.zip
	MaxUnpacked    = 256 << 20 // bytes of the files in app.zip together
)

// Carrier says how the host talks to the interpreter.
type Carrier string

// The carriers.
const (
	ABI    Carrier = "abi"    // it exports the interface, as any module does
	Frames Carrier = "frames" // it is a program that reads frames from fd 0 and writes frames to fd 1
)

// Step is step.json: what the archive is.
type Step struct {
	Format      int               `json:"format"`   // Write sets it
	Language    string            `json:"language"` // for people: "python"
	Carrier     Carrier           `json:"carrier"`
	Interpreter Interpreter       `json:"interpreter"`
	Args        []string          `json:"args"`           // of the interpreter, its name first
	Env         map[string]string `json:"env"`            // its environment
	ABI         string            `json:"abi"`            // of the SDK: "1.1"
	SDK         string            `json:"sdk"`            // the SDK's version
	Main        string            `json:"main,omitempty"` // for people: the user's file that is the step
}

// Interpreter names the module that runs the step.
type Interpreter struct {
	Name    string `json:"name"` // "cpython"
	Version string `json:"version"`
	Digest  string `json:"digest"` // "sha256:" and hex digits of the module's bytes
}

// Archive is an archive that was read. It is safe for concurrent use.
type Archive struct {
	Step

	// Wasm is the interpreter if the archive has it, a view of the bytes that
	// were read or a copy; nil if it has to be found by its digest.
	Wasm []byte

	// Files are the application's files, mounted as /app.
	Files fs.FS
}

// Is reports whether b begins as an archive does.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte("PK\x03\x04")) }

func (s *Step) check() error {
	switch {
	case s.Format != Format:
		return fmt.Errorf("it has format %d, this build reads %d: build it anew with this wasmill, or run it with a newer one", s.Format, Format)
	case s.Carrier != ABI && s.Carrier != Frames:
		return fmt.Errorf("its carrier is %q, not %q or %q", clip(string(s.Carrier)), ABI, Frames)
	case !isDigest(s.Interpreter.Digest):
		return fmt.Errorf("its interpreter's digest is %q, not sha256: and 64 hex digits", clip(s.Interpreter.Digest))
	case s.Interpreter.Name == "":
		return errors.New("its interpreter has no name")
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("it sets a variable named %q", clip(name))
		}
	}
	return nil
}

func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// clip keeps a text from an archive short enough for an error.
func clip(s string) string { return s[:min(len(s), 80)] }
