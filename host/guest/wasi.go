package guest

import (
	"github.com/wasmill/wasmill/host/guest/wasi"
)

// surroundings is what an instance sees through WASI: its output goes to the
// log, its input is empty, clocks and random bytes depend on the batch alone.
// There are no files, arguments, variables or sockets.
func (in *instance) surroundings() wasi.Config {
	return wasi.Config{
		Stdout: &in.log.stdout,
		Stderr: &in.log.stderr,
		Random: &in.random,
		Wall: func() (ns int64, ok bool) {
			if in.op == 0 {
				return 0, false
			}
			return in.calls.Now(), true
		},
	}
}
