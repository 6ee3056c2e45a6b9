package overlay

import (
	"hash/maphash"
	"strconv"
	"testing"
)

func TestFilter_NeverForgetsAndSeldomErrs(t *testing.T) {
	const keys = 100_000
	f := newFilter(keys * 10 / 8)
	seed := maphash.MakeSeed()
	hash := func(n int) uint32 { return uint32(maphash.String(seed, strconv.Itoa(n))) }
	for n := range keys {
		f.add(hash(n))
	}
	wrong := 0
	for n := range keys {
		if !f.has(hash(n)) {
			t.Fatalf("forgot %d", n)
		}
		if f.has(hash(n + keys)) {
			wrong++
		}
	}
	t.Logf("%d of %d are said to be there", wrong, keys)
	if wrong > keys*2/100 {
		t.Errorf("%d of %d absent keys are said to be there, want 2 in a hundred at most", wrong, keys)
	}
}
