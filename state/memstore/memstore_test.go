package memstore_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
	"github.com/wasmill/wasmill/state/statetest"
)

var seedFlag = flag.Uint64("seed", 0, "run TestStore_Metamorphic with this seed")

func newDisk(testing.TB) statetest.Disk {
	d := new(memstore.Disk)
	return func() (state.Store, error) { return open(d, memstore.Options{}) }
}

// open keeps a nil Store from becoming a state.Store that is not nil.
func open(d *memstore.Disk, opts memstore.Options) (state.Store, error) {
	s, err := d.Open(opts)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func TestStore_Conforms(t *testing.T) { statetest.Run(t, newDisk) }

func TestStore_Metamorphic(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	statetest.Metamorphic(t, newDisk(t), seed, 5000)
}
