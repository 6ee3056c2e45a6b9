package wasmill

import "github.com/wasmill/wasmill/sdk-go/internal/host"

// GetMany looks keys up in one crossing to the host. It appends one value for
// each key to values and returns that: nil where there is none, an empty one
// where it is empty. The values are views that are good until the next GetMany.
func (s *Store) GetMany(keys [][]byte, values [][]byte) ([][]byte, error) {
	if len(keys) == 0 {
		return values, nil
	}
	cx := s.cx
	req := cx.request[:0]
	for _, k := range keys {
		n := uint32(len(k))
		req = append(req, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		req = append(req, k...)
	}
	cx.request = req
	n, err := s.reply(&cx.many, "state_get_many", func(buf []byte) int32 {
		return host.StateGetMany(s.id, req, buf)
	})
	if err != nil {
		return values, err
	}
	rest := cx.many[:max(n, 0)]
	for range keys {
		if len(rest) < 4 {
			return values, check("state_get_many", s.name, -int32(EIO))
		}
		m := le32(rest)
		rest = rest[4:]
		if m == 1<<32-1 {
			values = append(values, nil)
			continue
		}
		values = append(values, rest[:m:m])
		rest = rest[m:]
	}
	return values, nil
}
