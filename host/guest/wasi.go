package guest

import (
	"maps"
	"slices"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

// appDir is where an interpreter finds the files of its archive.
const appDir = "/app"

// surroundings is what an instance sees through WASI: its output goes to the
// log, its input is empty, clocks and random bytes depend on the batch alone.
// There are no sockets, and no files, arguments and variables but those of an
// archive. A program speaks with the host over fd 0 and 1.
func (in *instance) surroundings() wasi.Config {
	c := wasi.Config{
		Stdout: &in.log.stdout,
		Stderr: &in.log.stderr,
		Random: &in.random,
		Wall: func() (ns int64, ok bool) {
			if in.program != nil {
				in.program.leave()
			}
			if in.op == 0 {
				return 0, false
			}
			return in.calls.Now(), true
		},
	}
	if app := in.module.app; app != nil {
		c.Args, c.Files, c.Dir = app.Args, app.Files, appDir
		for _, name := range slices.Sorted(maps.Keys(app.Env)) {
			c.Env = append(c.Env, name+"="+app.Env[name])
		}
	}
	if in.program != nil {
		c.Stdin, c.Stdout = in.program, in.program
	}
	return c
}
