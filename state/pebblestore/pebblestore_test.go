package pebblestore_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/pebblestore"
	"github.com/wasmill/wasmill/state/statetest"
)

var seedFlag = flag.Uint64("seed", 0, "run the randomised tests with this seed")

// small options make memtables, flushes and compactions take turns in a test.
func small(fs vfs.FS) pebblestore.Options {
	return pebblestore.Options{FS: fs, CacheBytes: 1 << 20, MemtableBytes: 256 << 10}
}

func disk(dir string, opts pebblestore.Options) statetest.Disk {
	return func() (state.Store, error) {
		s, err := pebblestore.Open(dir, opts)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

func seed(t *testing.T) uint64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("replay with -seed=%d", s)
	return s
}

func TestStore_Conforms(t *testing.T) {
	statetest.Run(t, func(testing.TB) statetest.Disk { return disk("db", small(vfs.NewMem())) })
}

func TestStore_ConformsOnDisk(t *testing.T) {
	statetest.Run(t, func(t testing.TB) statetest.Disk { return disk(t.TempDir(), small(nil)) })
}

func TestStore_Metamorphic(t *testing.T) {
	statetest.Metamorphic(t, disk("db", small(vfs.NewMem())), seed(t), 3000)
}
