package task

import "context"

// Waker is how others make a goroutine look around: it has one, waits on
// nothing else, and after each wait looks at everything that may have
// changed. Wakes before a wait are not lost; several count as one.
type Waker struct{ c chan struct{} }

// NewWaker returns a Waker.
func NewWaker() *Waker { return &Waker{make(chan struct{}, 1)} }

// Wake ends the owner's wait, or its next one. It never blocks.
func (w *Waker) Wake() {
	select {
	case w.c <- struct{}{}:
	default:
	}
}

// Wait returns after a Wake, or with ctx's error when that ends.
func (w *Waker) Wait(ctx context.Context) error {
	select {
	case <-w.c:
	case <-ctx.Done():
	}
	return ctx.Err()
}
