package epoch

import (
	"context"
	"errors"
	"fmt"

	"github.com/wasmill/wasmill/plugins"
)

// Writer is the writer of one task at one sink, with its place in the store.
type Writer struct {
	plugins.SinkWriter
	Sink   int    // index in the spec
	Number int    // of the writer at its sink
	Name   string // "sink out, writer 3": for messages
}

// Decider makes an epoch irrevocable: after Decide returned nil, everything
// that recovery needs is in it. An error that is state.ErrOutcomeUnknown
// leaves the outcome open; any other means that nothing was applied.
type Decider interface {
	Decide(ctx context.Context, e *Epoch) error
}

// Point is a place in a commit where a crash must do no harm.
type Point string

// The points, in their order.
const (
	BeforeWrite    Point = "before write"
	BeforePrepare  Point = "before prepare"
	BeforeDecide   Point = "before decide"
	AfterDecide    Point = "after decide"
	BeforeFinalise Point = "before finalise"
	AfterFinalise  Point = "after finalise"
)

// Points lists all points.
var Points = []Point{BeforeWrite, BeforePrepare, BeforeDecide, AfterDecide, BeforeFinalise, AfterFinalise}

// Committer commits epochs, one at a time.
type Committer struct {
	Decider Decider

	// At is called at each point. An error ends the commit as a crash there
	// would. It is nil but in tests.
	At func(Point) error

	// Decided is called between the decision and Finalise: whatever the epoch
	// wrote is in the store now.
	Decided func(e *Epoch)
}

// ErrFinalise wraps what went wrong behind the decision: the epoch is
// committed, and opening the writers again finishes it.
var ErrFinalise = errors.New("epoch: finalise")

// Commit makes e durable and visible. Each line may be the last before a
// crash: up to Decide nothing has happened, from Decide on everything has,
// and what is left to do is found in the tokens. An epoch in which nothing
// happened costs nothing; its number is used up.
func (c *Committer) Commit(ctx context.Context, e *Epoch) error {
	if e.empty() {
		c.Decided(e)
		return nil
	}
	if err := c.each(ctx, e, BeforeWrite, write); err != nil {
		return err
	}
	if err := c.each(ctx, e, BeforePrepare, e.prepare); err != nil {
		return err
	}
	if err := c.at(BeforeDecide); err != nil {
		return err
	}
	if err := c.Decider.Decide(ctx, e); err != nil {
		return fmt.Errorf("epoch %d: %w", e.Number, err)
	}
	c.Decided(e)
	if err := c.at(AfterDecide); err != nil {
		return err
	}
	if err := c.each(ctx, e, BeforeFinalise, finalise); err != nil {
		return err
	}
	return c.at(AfterFinalise)
}

// each does one step of the commit for every output, with a crash point before each.
func (c *Committer) each(ctx context.Context, e *Epoch, p Point, do func(context.Context, Out) error) error {
	for _, d := range e.Deltas {
		for _, o := range d.Out {
			if err := c.at(p); err != nil {
				return err
			}
			if err := do(ctx, o); err != nil {
				return fmt.Errorf("epoch %d: %s: %w", e.Number, o.Writer.Name, err)
			}
		}
	}
	return nil
}

func (c *Committer) at(p Point) error {
	if c.At == nil {
		return nil
	}
	return c.At(p)
}

func write(ctx context.Context, o Out) error {
	for _, b := range o.Batches {
		if err := o.Writer.Write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (e *Epoch) prepare(ctx context.Context, o Out) error {
	token, err := o.Writer.Prepare(ctx, o.End)
	if err != nil {
		return err
	}
	e.tokens = append(e.tokens, Row{TokenKey(o.Writer.Sink, o.Writer.Number), token})
	return nil
}

func finalise(ctx context.Context, o Out) error {
	if err := o.Writer.Finalise(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrFinalise, err)
	}
	return nil
}
