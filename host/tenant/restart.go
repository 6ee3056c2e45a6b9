package tenant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/wasmill/wasmill/host/epoch"
)

// attempt makes sure that a worker has the job open and does do with it. If
// the worker ends before that is done, it begins again with another one, as
// often as Options allow. The error is a *death if a worker has ended after
// ctx or Stop has said that there should be none.
func (j *Job) attempt(ctx context.Context, do func() error) error {
	for {
		err := j.ready(ctx)
		if err == nil {
			err = do()
		}
		var dead *death
		if !errors.As(err, &dead) {
			return err
		}
		if j.worker != nil {
			dead = j.bury()
		}
		if ctx.Err() != nil || j.isStopping() {
			return dead
		}
		if err := j.pause(ctx, dead); err != nil {
			return err
		}
	}
}

// ready makes sure that a worker has the job open.
func (j *Job) ready(ctx context.Context) error {
	if j.worker != nil {
		return nil
	}
	w, err := startWorker(&j.o, j.note)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.worker = w
	j.mu.Unlock()
	var opened Opened
	if err := w.call(ctx, "Open", j.o.Request, &opened); err != nil {
		return err
	}
	if err := opened.Failure.err(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.decision = opened.Decision; j.opened {
		j.decision = epoch.Resume // whatever is left to be done
	}
	j.opened, j.o.Fresh = true, false
	return nil
}

// bury ends the worker, adds up what it has done, and says why it has ended
// if nobody asked it to.
func (j *Job) bury() *death {
	w := j.worker
	dead := w.end()
	if dead.dump != "" {
		_, _ = io.WriteString(j.o.Stderr, dead.dump) // as it would be without a worker
	}
	j.cpu += w.cpu()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.worker = nil
	return dead
}

// pause waits before a worker that has ended is followed by another one, or
// returns why it should not be.
func (j *Job) pause(ctx context.Context, dead *death) error {
	j.mu.Lock()
	j.before.Epoch = max(j.before.Epoch, j.last.Epoch)
	j.before.Epochs += j.last.Epochs
	j.before.Commit += j.last.Commit
	j.last.Epochs, j.last.Commit = 0, 0
	at := j.before.Epoch
	j.mu.Unlock()
	if at > j.mark {
		j.fails = 0
	}
	j.fails++
	j.mark = at
	if j.fails > j.o.Restarts {
		return fmt.Errorf("the job's process has ended %d times without a new epoch, the last time because %w; the next run goes on behind epoch %d", j.fails, dead, at)
	}
	wait := min(j.o.Pause<<min(j.fails-1, 20), longestPause)
	j.o.Log.Warn("the job's process has ended and is started again", "reason", dead.reason, "epoch", at, "pause", wait)
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return dead
	case <-j.halt:
		return dead
	}
}
