package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

var errSignal = errors.New("stopped by a signal")

// signals turns SIGINT and SIGTERM into what a run understands: the first
// one finishes the epoch, the second one cancels, a third one ends the
// process as it would without us, which loses nothing either. While no job
// runs yet the first one cancels. SIGPIPE is caught so that a closed pipe is an error
// of the write and not the end of the process.
type signals struct {
	scr    *screen
	cancel context.CancelCauseFunc
	came   chan os.Signal // buffered: Notify does not wait
	pipe   chan os.Signal // of SIGPIPE; nobody reads it
	done   chan struct{}  // closed by close
	wg     sync.WaitGroup

	mu       sync.Mutex
	job      interface{ Stop() } // mu: nil until it runs
	stopping bool                // mu
}

// catchSignals begins to watch; close must be called.
func catchSignals(scr *screen, cancel context.CancelCauseFunc) *signals {
	s := &signals{scr: scr, cancel: cancel, came: make(chan os.Signal, 2), pipe: make(chan os.Signal, 1), done: make(chan struct{})}
	signal.Notify(s.came, os.Interrupt, syscall.SIGTERM)
	signal.Notify(s.pipe, syscall.SIGPIPE)
	s.wg.Go(func() {
		for {
			select {
			case <-s.came:
				s.handle()
			case <-s.done:
				return
			}
		}
	})
	return s
}

// running tells that from now on the first signal finishes the epoch of job.
func (s *signals) running(job interface{ Stop() }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = job
}

func (s *signals) handle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job == nil || s.stopping {
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		s.scr.say("stopping now; press again to end the process")
		s.cancel(errSignal)
		return
	}
	s.stopping = true
	s.scr.say("stopping after this epoch; press again to stop now")
	s.job.Stop()
}

// close stops watching and waits for the watcher. SIGPIPE stays caught: what
// is printed behind the run may meet a closed pipe too.
func (s *signals) close() {
	signal.Stop(s.came)
	close(s.done)
	s.wg.Wait()
}
