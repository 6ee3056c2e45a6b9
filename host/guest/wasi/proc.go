package wasi

import (
	"io"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// procExit unwinds the guest: its call returns a *sys.ExitError. The module
// is left open, for its owner to close.
func procExit(_ *State, _ api.Memory, p []uint64) Errno { panic(sys.NewExitError(uint32(p[0]))) }

func schedYield(*State, api.Memory, []uint64) Errno { return OK }

// unknown serves what does not exist here at all.
func unknown(*State, api.Memory, []uint64) Errno { return ENOSYS }

// noSockets serves what works on sockets, of which there are none.
func noSockets(*State, api.Memory, []uint64) Errno { return ENOTSUP }

// randomGet fills all of the buffer: there is no way to say that it was a
// part. So more than MaxCall bytes are refused.
func randomGet(s *State, m api.Memory, p []uint64) Errno {
	if s.config.Random == nil {
		return ENOSYS
	}
	size := uint32(p[1])
	if size > MaxCall {
		return EINVAL
	}
	out, ok := view(m, uint32(p[0]), size)
	if !ok {
		return EFAULT
	}
	if _, err := io.ReadFull(s.config.Random, out); err != nil {
		return EIO
	}
	return OK
}
