package container_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// TestCommit_HeldDoesNotStopProcessing holds one commit in the store for a
// second: meanwhile records are read, both steps are called, and no other
// commit begins.
func TestCommit_HeldDoesNotStopProcessing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var values []string
		for i := range 4000 {
			values = append(values, fmt.Sprintf("%c%d", 'a'+i%5, i))
		}
		j := newJob(memSource{{"file", values}},
			jobspec.Step{Name: "first", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}},
			jobspec.Step{
				Name: "second", From: []jobspec.Ref{{Name: "first"}}, Wasm: "native", Outputs: []string{"out"},
				Key: &jobspec.Key{Own: true}, Partitions: 2, Tasks: 2, Stores: []jobspec.Store{{Name: "counts"}},
			})
		j.spec.Epoch = 100 * time.Millisecond
		j.batch.Records = 10
		var read, first, second, commits, held atomic.Int64
		j.modules = []guest.Module{
			eachModule("first", func(_ guest.Calls, i uint32, r *record.Record) ([]byte, error) {
				if first.Add(1); i == 0 {
					time.Sleep(5 * time.Millisecond) // what a batch takes
				}
				return r.Value, nil
			}),
			eachModule("second", func(c guest.Calls, _ uint32, r *record.Record) ([]byte, error) {
				second.Add(1)
				c.StatePut(0, r.Value, r.Value)
				return r.Value, nil
			}),
		}
		j.hooks.Read = func(n int) { read.Add(int64(n)) }
		var k *container.Container
		j.store.BeforeCommit = func(bool) error {
			if commits.Add(1) != 5 {
				return nil
			}
			at := [...]int64{read.Load(), first.Load(), second.Load()}
			epoch := k.Status().Epoch
			time.Sleep(time.Second)
			for i, now := range [...]int64{read.Load(), first.Load(), second.Load()} {
				// 10 records each 5 ms; to the second step they come in batches.
				if n := now - at[i]; n < [...]int64{1990, 1990, 900}[i] {
					t.Errorf("%s went on by %d records while a commit was held", [...]string{"the source", "the first step", "the second step"}[i], n)
				}
			}
			if n := commits.Load(); n != 5 || k.Status().Epoch != epoch {
				t.Errorf("%d commits began, epoch %d after %d: more than one was sealed", n, k.Status().Epoch, epoch)
			}
			held.Add(1)
			return nil
		}
		k = j.container(t)
		out, err := k.Run(t.Context())
		if err != nil || !out.Finished || held.Load() != 1 || len(j.sinks[0].got) != len(values) {
			t.Errorf("%+v, %v: %d commits held, %d records of %d came", out, err, held.Load(), len(j.sinks[0].got), len(values))
		}
	})
}

// TestCommit_UnsealedWorkIsBounded holds a commit for a minute with little
// room for unsealed work: reading stops, and goes on.
func TestCommit_UnsealedWorkIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var values []string
		for i := range 3000 {
			values = append(values, fmt.Sprintf("%c%090d", 'a'+i%5, i))
		}
		j := newJob(memSource{{"file", values}}, jobspec.Step{
			Name: "keep", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"},
			Key: &jobspec.Key{Own: true}, Partitions: 2, Tasks: 2, Stores: []jobspec.Store{{Name: "counts"}},
		})
		j.spec.Epoch = time.Hour // barriers come from the bound alone
		j.batch.Records = 10
		j.unsealed = 20_000
		j.modules = []guest.Module{eachModule("keep", func(c guest.Calls, _ uint32, r *record.Record) ([]byte, error) {
			c.StatePut(0, r.Value, r.Value)
			return r.Value, nil
		})}
		var commits atomic.Int64
		var k *container.Container
		j.store.BeforeCommit = func(bool) error {
			if commits.Add(1) == 4 {
				time.Sleep(time.Minute)
				// What was let in up to the bound takes more once it is state and output.
				if used := k.Status().Unsealed; used < 18_000 || used > 60_000 {
					t.Errorf("%d bytes are unsealed, the bound is 20,000", used)
				}
			}
			return nil
		}
		k = j.container(t)
		out, err := k.Run(t.Context())
		if err != nil || !out.Finished || len(j.sinks[0].got) != len(values) || commits.Load() < 20 {
			t.Errorf("%+v, %v: %d records of %d came in %d commits", out, err, len(j.sinks[0].got), len(values), commits.Load())
		}
		if used := k.Status().Unsealed; used != 0 {
			t.Errorf("%d bytes are counted at the end", used)
		}
	})
}
