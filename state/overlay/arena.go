package overlay

// Memory for records comes in chunks that never move, so that a record can
// be named by 32 bits and a view of it stays good while others are added. A
// chunk holds no pointers: the garbage collector does not look into it.
//
//	ref   chunk index (15 bits) | offset in units of 8 bytes (17 bits)
//
// Ref 0 is nothing: chunk 0 is a nil slice.
const (
	unit       = 8
	offsetBits = 17
	maxChunk   = unit << offsetBits // 1 MiB
	minChunk   = 4 << 10
	maxChunks  = 1 << (32 - offsetBits)

	// ownChunk is the size above which a record gets a chunk of its own, so
	// that at most a quarter of a chunk is lost at its end.
	ownChunk = maxChunk / 4
)

type arena struct {
	chunks [][]byte // those in use
	free   [][]byte // emptied ones, the largest last
	cur    int      // index of the chunk that is being filled
	off    int      // bytes used in it
	used   int      // bytes handed out since reset, rounded up to units
}

// mark is a state of an arena to which truncate returns.
type mark struct{ chunks, cur, off, used int }

func (a *arena) mark() mark { return mark{len(a.chunks), a.cur, a.off, a.used} }

// at returns the memory from ref to the end of its chunk.
func (a *arena) at(ref uint32) []byte {
	return a.chunks[ref>>offsetBits][ref&(1<<offsetBits-1)*unit:]
}

// alloc returns a ref to n bytes, whose content is arbitrary.
func (a *arena) alloc(n int) uint32 {
	n = (n + unit - 1) &^ (unit - 1)
	a.used += n
	if n > ownChunk {
		return a.add(make([]byte, n))
	}
	if len(a.chunks) == 0 || a.off+n > len(a.chunks[a.cur]) {
		a.add(a.next(n))
		a.cur, a.off = len(a.chunks)-1, 0
	}
	ref := uint32(a.cur)<<offsetBits | uint32(a.off/unit)
	a.off += n
	return ref
}

// next returns a chunk for at least n bytes: an emptied one or one of twice
// the size of the last.
func (a *arena) next(n int) []byte {
	if last := len(a.free) - 1; last >= 0 && len(a.free[last]) >= n {
		c := a.free[last]
		a.free[last] = nil
		a.free = a.free[:last]
		return c
	}
	size := minChunk
	if len(a.chunks) > 0 {
		size = min(max(size, 2*len(a.chunks[a.cur])), maxChunk)
	}
	for size < n {
		size *= 2
	}
	return make([]byte, size)
}

// add takes a chunk into use and returns the ref of its first byte. Chunks
// run out at 8 GiB at the earliest; a task seals its delta long before that.
func (a *arena) add(chunk []byte) uint32 {
	if len(a.chunks) == 0 {
		a.chunks = append(a.chunks, nil)
	}
	if len(a.chunks) == maxChunks {
		panic("overlay: a delta of more than 8 GiB was not sealed")
	}
	a.chunks = append(a.chunks, chunk)
	return uint32(len(a.chunks)-1) << offsetBits
}

// truncate gives back everything that was handed out since m.
func (a *arena) truncate(m mark) {
	for i := max(m.chunks, 1); i < len(a.chunks); i++ {
		a.release(a.chunks[i])
		a.chunks[i] = nil
	}
	a.chunks = a.chunks[:min(max(m.chunks, 1), len(a.chunks))]
	a.cur, a.off, a.used = m.cur, m.off, m.used
}

// release keeps a chunk for later, in order of size. One that was made for a
// single record goes to the garbage collector.
func (a *arena) release(c []byte) {
	if len(c) > maxChunk || len(c)&(len(c)-1) != 0 {
		return
	}
	i := len(a.free)
	a.free = append(a.free, c)
	for ; i > 0 && len(a.free[i-1]) > len(c); i-- {
		a.free[i] = a.free[i-1]
	}
	a.free[i] = c
}

// reset gives back everything. It keeps twice the memory that was in use and
// 1 MiB more, so that a burst does not stay for ever.
func (a *arena) reset() {
	keep := 2*a.used + maxChunk
	a.truncate(mark{})
	held := 0
	for i := len(a.free) - 1; i >= 0; i-- {
		if held += len(a.free[i]); held > keep {
			n := copy(a.free, a.free[i+1:])
			clear(a.free[n:])
			a.free = a.free[:n]
			return
		}
	}
}
