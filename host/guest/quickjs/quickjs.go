// Package quickjs holds the engine that runs steps in JavaScript: QuickJS-NG
// with the interface of abi/SPEC.md around it, as one module, which reads the
// step from /app/step.js. engine has the source of what is ours, build.sh the
// recipe, LICENSE-quickjs the licence of the rest.
package quickjs

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Name and Version say what the engine is made of.
const (
	Name    = "quickjs-ng"
	Version = "0.18.0"
)

//go:embed engine.wasm.gz
var packed []byte

//go:embed digest.txt
var digest string

// License is the text of QuickJS-NG's licence, which goes with every copy.
//
//go:embed LICENSE-quickjs
var License string

// Digest returns "sha256:" and the hex digits of the module's bytes.
func Digest() string { return strings.TrimSpace(digest) }

// Engine returns the module. It is shared: it must not be changed.
func Engine() []byte { return engine() }

var engine = sync.OnceValue(func() []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		var wasm []byte
		if wasm, err = io.ReadAll(z); err == nil {
			return wasm
		}
	}
	panic(fmt.Sprintf("quickjs: engine.wasm.gz of this build is damaged: %v", err))
})
