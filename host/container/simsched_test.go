package container_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// sched decides who goes on. Every goroutine of the engine stops in yield
// before it looks around; when all are stopped, asleep or waiting, one of
// those that stopped is let go, drawn by the seed. So one goroutine at a time
// touches anything shared, and a seed replays exactly.
type sched struct {
	rng   *rand.Rand
	mu    sync.Mutex
	stops map[int]chan struct{}
	came  chan struct{} // somebody stopped
	steps int
	trace hash.Hash64 // of who went when
	limit int         // steps in a run, to find a livelock
	step  func(n int) // called before each step, on the scheduler's goroutine
	slow  int         // one that goes only if nobody else can
}

func newSched(rng *rand.Rand) *sched {
	return &sched{rng: rng, stops: map[int]chan struct{}{}, came: make(chan struct{}, 1), limit: 2_000_000, trace: fnv.New64a()}
}

func (s *sched) yield(who int) {
	c := make(chan struct{})
	s.mu.Lock()
	if _, ok := s.stops[who]; ok {
		s.mu.Unlock()
		panic("sim: two goroutines with one number")
	}
	s.stops[who] = c
	s.mu.Unlock()
	select {
	case s.came <- struct{}{}:
	default:
	}
	<-c
}

// drive lets goroutines go until done is closed; it returns false if that
// takes longer than an hour of virtual time or limit steps.
func (s *sched) drive(done <-chan struct{}) bool {
	for {
		synctest.Wait()
		select {
		case <-done:
			return true
		default:
		}
		s.mu.Lock()
		if len(s.stops) == 0 {
			s.mu.Unlock()
			select {
			case <-done:
			case <-s.came:
			case <-time.After(time.Hour):
				return false
			}
			continue
		}
		who := make([]int, 0, len(s.stops))
		for w := range s.stops {
			who = append(who, w)
		}
		slices.Sort(who)
		if s.rng.IntN(30) == 0 {
			s.slow = who[s.rng.IntN(len(who))]
		}
		if i := slices.Index(who, s.slow); i >= 0 && len(who) > 1 {
			who = slices.Delete(who, i, i+1)
		}
		w := who[s.rng.IntN(len(who))]
		c := s.stops[w]
		delete(s.stops, w)
		s.mu.Unlock()
		if s.steps++; s.steps > s.limit {
			return false
		}
		if s.rng.IntN(6) == 0 {
			time.Sleep(time.Duration(s.rng.IntN(10)) * time.Millisecond) // nobody else is at work: time passes
			synctest.Wait()
		}
		if s.step != nil {
			s.step(s.steps)
			synctest.Wait() // whom a crash woke is gone before the next one goes
		}
		fmt.Fprintln(s.trace, w, time.Now())
		close(c)
	}
}
