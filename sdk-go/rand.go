package wasmill

import (
	"math/rand/v2"

	"github.com/wasmill/wasmill/sdk-go/internal/host"
)

// random is what Context.Rand gives out.
type random struct {
	seeded bool // in the running call
	source *rand.ChaCha8
	rand   *rand.Rand
}

// Rand returns a source of random numbers that begins anew with every call: a
// batch that runs again draws the same numbers, other batches others. During
// OnInit the numbers are the same in all instances. They are no secrets.
//
// The functions of packages math/rand and math/rand/v2 go on from batch to
// batch instead, and begin alike in all tasks of all jobs.
func (cx *Context) Rand() *rand.Rand {
	r := &cx.random
	if r.seeded {
		return r.rand
	}
	var seed [32]byte
	host.Random(seed[:])
	if r.source == nil {
		r.source = rand.NewChaCha8(seed)
		r.rand = rand.New(r.source)
	} else {
		r.source.Seed(seed)
	}
	r.seeded = true
	return r.rand
}
