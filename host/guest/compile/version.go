package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/cpu"
)

// wazeroVersion returns the version of wazero in this binary, as wazero
// itself finds it.
func wazeroVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" && d.Version != "" && d.Version != "(devel)" {
				return d.Version
			}
		}
	}
	return "dev"
}

// versioned returns the name of the directory in which wazero keeps entries.
func versioned() string {
	return "wazero-" + wazeroVersion() + "-" + runtime.GOARCH + "-" + runtime.GOOS
}

// key names the record of a stub: its bytes and all that decides whether an
// entry is good for it. The name of the entry is known to wazero alone, which
// looks for another one on a CPU with other features; so they are part of it.
func key(stub []byte) string {
	h := sha256.New()
	sum := sha256.Sum256(stub)
	fmt.Fprintf(h, "%s %s %v %v\n", recordFormat, versioned(), cpu.X86, cpu.ARM64)
	h.Write(sum[:])
	return hex.EncodeToString(h.Sum(nil))
}
