package wasmill

import (
	"iter"

	"github.com/wasmill/wasmill/sdk-go/internal/host"
)

// Store is one of the step's stores: keyed state that belongs to the task and
// lasts. What a batch writes is dropped again if the batch fails.
type Store struct {
	cx   *Context
	name string
	id   uint32
}

// Store returns the store of that name. If the job declares none, every call
// on it is an error that says so.
func (cx *Context) Store(name string) *Store {
	for i := range cx.stores {
		if cx.stores[i].name == name {
			return &cx.stores[i]
		}
	}
	return &Store{cx: cx, name: name, id: 1<<32 - 1}
}

// Get returns the value of key and whether there is one. The value is a view
// that is good until the next Get or Scan.
func (s *Store) Get(key []byte) (value []byte, ok bool, err error) {
	n, err := s.reply(&s.cx.reply, "state_get", func(buf []byte) int32 {
		return host.StateGet(s.id, key, buf)
	})
	if err != nil || n < 0 {
		return nil, false, err
	}
	return s.cx.reply[:n:n], true, nil
}

// Put sets the value of key; both are copied.
func (s *Store) Put(key, value []byte) error {
	return check("state_put", s.name, host.StatePut(s.id, key, value))
}

// Delete removes key; it is no error if there is none.
func (s *Store) Delete(key []byte) error {
	return check("state_delete", s.name, host.StateDelete(s.id, key))
}

// Entry is a key of a store with its value; both are views.
type Entry struct{ Key, Value []byte }

// Scan yields the entries with start <= key < end in the order of their keys'
// bytes; a nil or empty end is open. An Entry is good for one turn of the
// loop. Entries are fetched many at a time: the loop may write to the store,
// but a write to a key that the scan has not come to may or may not be seen.
// An error ends the scan.
func (s *Store) Scan(start, end []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		page := make([]byte, 0, scanPage)
		next := append([]byte(nil), start...)
		for {
			n, err := s.reply(&page, "state_scan", func(buf []byte) int32 {
				return host.StateScan(s.id, next, end, buf)
			})
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if n <= 0 {
				return
			}
			rest := page[:n]
			for len(rest) > 0 {
				k, v := int(le32(rest)), int(le32(rest[4:]))
				e := Entry{Key: rest[8 : 8+k : 8+k], Value: rest[8+k : 8+k+v : 8+k+v]}
				rest = rest[8+k+v:]
				if len(rest) == 0 {
					// The key that follows the last one of the page.
					next = append(append(next[:0], e.Key...), 0)
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// scanPage is the room in bytes for the entries of one call.
const scanPage = 64 << 10

// reply makes a call that writes into *buf, once more if the buffer was too
// small, and returns the length written, -1 for ENOENT.
func (s *Store) reply(buf *[]byte, call string, fn func(buf []byte) int32) (int, error) {
	for {
		room := (*buf)[:cap(*buf)]
		n := fn(room)
		if int(n) <= len(room) {
			*buf = room
			if n == -int32(ENOENT) {
				return -1, nil
			}
			return int(n), check(call, s.name, n)
		}
		*buf = make([]byte, max(int(n), 2*len(room), 4096))
	}
}

func le32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
