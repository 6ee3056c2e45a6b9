// Package statetest is the conformance kit of state.Store: what every
// implementation must do, as tests to run from its own.
package statetest

import (
	"testing"

	"github.com/wasmill/wasmill/state"
)

// Disk opens the store on one disk: empty at first, then with what is there.
type Disk func() (state.Store, error)

// Run runs the kit. newDisk returns an empty disk for each test; what it needs
// cleaned up it registers at t.
func Run(t *testing.T, newDisk func(t testing.TB) Disk) {
	tests := []struct {
		name string
		run  func(*kit)
	}{
		{"get returns what was set", (*kit).getSet},
		{"a missing key is not an empty value", (*kit).missing},
		{"keys are any bytes", (*kit).binary},
		{"large values", (*kit).large},
		{"get appends to dst", (*kit).appends},
		{"set and delete copy their arguments", (*kit).copies},
		{"iteration is in order of bytes", (*kit).order},
		{"bounds", (*kit).bounds},
		{"seek", (*kit).seek},
		{"an iterator does not see later commits", (*kit).iteratorStable},
		{"a snapshot does not see later commits", (*kit).snapshotStable},
		{"a batch is invisible before commit", (*kit).invisible},
		{"a closed batch is not applied", (*kit).closedBatch},
		{"later writes of a batch win", (*kit).laterWins},
		{"delete range", (*kit).deleteRange},
		{"an empty batch", (*kit).emptyBatch},
		{"batches are atomic to readers", (*kit).atomic},
		{"a store keeps its commits", (*kit).reopen},
		{"a store is open once", (*kit).locked},
		{"closed things return ErrClosed", (*kit).closed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := &kit{T: t, disk: newDisk(t)}
			k.open()
			test.run(k)
			if k.store != nil {
				k.ok(k.store.Close())
			}
		})
	}
}

// kit is one test on one disk.
type kit struct {
	*testing.T
	disk  Disk
	store state.Store
}

func (k *kit) open() {
	k.Helper()
	s, err := k.disk()
	k.ok(err)
	k.store = s
}

func (k *kit) ok(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// set commits pairs of keys and values.
func (k *kit) set(pairs ...string) {
	k.Helper()
	b := k.store.NewBatch()
	for i := 0; i < len(pairs); i += 2 {
		k.ok(b.Set([]byte(pairs[i]), []byte(pairs[i+1])))
	}
	k.commit(b, false)
}

func (k *kit) commit(b state.Batch, sync bool) {
	k.Helper()
	k.ok(b.Commit(sync))
	k.ok(b.Close())
}

// wants checks a key; want is nil if it must be absent.
func (k *kit) wants(r state.Reader, key string, want *string) {
	k.Helper()
	v, ok, err := r.Get([]byte(key), nil)
	k.ok(err)
	switch {
	case want == nil && ok:
		k.Fatalf("Get(%q) = %.40q, want no such key", key, v)
	case want != nil && !ok:
		k.Fatalf("Get(%q): no such key, want %.40q", key, *want)
	case want != nil && string(v) != *want:
		k.Fatalf("Get(%q) = %d bytes %.40q, want %d bytes %.40q", key, len(v), v, len(*want), *want)
	}
}

func (k *kit) has(r state.Reader, key, value string) { k.Helper(); k.wants(r, key, &value) }
func (k *kit) lacks(r state.Reader, key string)      { k.Helper(); k.wants(r, key, nil) }

// scan returns the keys and values of a range.
func (k *kit) scan(r state.Reader, lower, upper []byte) (pairs []string) {
	k.Helper()
	it, err := r.Iterate(lower, upper)
	k.ok(err)
	pairs = k.rest(it)
	k.ok(it.Close())
	return pairs
}

// rest returns the keys and values that are left in an iterator.
func (k *kit) rest(it state.Iterator) (pairs []string) {
	k.Helper()
	for it.Next() {
		pairs = append(pairs, string(it.Key()), string(it.Value()))
	}
	k.ok(it.Err())
	if it.Next() {
		k.Fatal("Next is true after the end")
	}
	if it.Key() != nil || it.Value() != nil {
		k.Fatal("a key after the end")
	}
	return pairs
}
