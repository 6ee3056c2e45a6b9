// Package compile turns modules into machine code, in a child process: what a
// module does to the compiler, by its time, its memory or by ending it, is
// the end of that child and an error here. The result is an entry of wazero's
// compilation cache, which is verified before each use. What stands here is
// the only place from which wazero compiles a module of a user.
package compile

import (
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Config is what both processes must agree about, so that the one finds what
// the other has compiled.
type Config struct {
	// DebugInfo makes traps carry positions in the module, if it has debug
	// sections. Such entries lie in a directory of their own, for wazero does
	// not tell them apart.
	DebugInfo bool `json:"debug_info"`
}

// runtime returns wazero's configuration, without a cache.
func (c Config) runtime() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(wasm.MostPages).
		WithDebugInfoEnabled(c.DebugInfo)
}

// Options are the settings of a Cache. The zero value is usable.
type Options struct {
	Config

	// Dir holds compiled modules between processes. It is made with mode 0700
	// and refused if it is not the user's or others may write to it, for what
	// is in it is run. Default: wasmill/modules in the user's cache directory.
	Dir string

	// Temporary keeps nothing: a new directory is used and removed by Close.
	Temporary bool

	Timeout time.Duration // CPU time of compiling one module, rounded up to seconds where the system counts them; default 60 s
	Memory  uint64        // of the child, in bytes, beside what an empty one has; default 2 GiB, not limited but on Linux

	// Command starts a child; its main must begin with Main. Arguments are
	// appended. Default: the binary that runs.
	Command []string
}

func (o *Options) setDefaults() {
	if o.Timeout <= 0 {
		o.Timeout = 60 * time.Second
	}
	if o.Memory == 0 {
		o.Memory = 2 << 30
	}
	if len(o.Command) == 0 {
		o.Command = self()
	}
}
