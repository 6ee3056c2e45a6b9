package wasi

import "github.com/tetratelabs/wazero/api"

func argsGet(s *State, m api.Memory, p []uint64) Errno      { return putStrings(s.config.Args, m, p) }
func argsSizesGet(s *State, m api.Memory, p []uint64) Errno { return putSizes(s.config.Args, m, p) }
func environGet(s *State, m api.Memory, p []uint64) Errno   { return putStrings(s.config.Env, m, p) }
func environSizesGet(s *State, m api.Memory, p []uint64) Errno {
	return putSizes(s.config.Env, m, p)
}

// putSizes answers with how many values there are and the bytes of them all,
// each with the NUL that ends it.
func putSizes(values []string, m api.Memory, p []uint64) Errno {
	count, ok1 := view(m, uint32(p[0]), 4)
	size, ok2 := view(m, uint32(p[1]), 4)
	if !ok1 || !ok2 {
		return EFAULT
	}
	le.PutUint32(count, uint32(len(values)))
	le.PutUint32(size, bytesOf(values))
	return OK
}

// putStrings puts the values one behind the other at p[1] and the address of
// each at p[0].
func putStrings(values []string, m api.Memory, p []uint64) Errno {
	at := uint32(p[1])
	addresses, ok1 := view(m, uint32(p[0]), uint32(4*len(values)))
	text, ok2 := view(m, at, bytesOf(values))
	if !ok1 || !ok2 {
		return EFAULT
	}
	for _, v := range values {
		le.PutUint32(addresses, at)
		n := copy(text, v)
		text[n] = 0
		addresses, text, at = addresses[4:], text[n+1:], at+uint32(n)+1
	}
	return OK
}

func bytesOf(values []string) (n uint32) {
	for _, v := range values {
		n += uint32(len(v)) + 1
	}
	return n
}
