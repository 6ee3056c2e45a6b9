package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
)

// errChanged says that a run was given up because something that it is made
// from has changed.
var errChanged = errors.New("changed")

func devCommand() *cobra.Command {
	d := &dev{level: newChoice("auto", "debug", "info", "warn", "error")}
	cmd := &cobra.Command{
		Use:   "dev JOB",
		Short: "Run a job again whenever its file, its steps or its input change",
		Long: "Run a job from the start, wait until its file, the source of its steps or its input\n" +
			"changes, build what has to be built, and run it again; until SIGINT or SIGTERM.\n" +
			"State and files of sinks go to .wasmill/dev/JOB beside the job file: those of\n" +
			"wasmill run are left alone.",
		Args: takes("JOB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.file, d.stdout, d.stderr = args[0], cmd.OutOrStdout(), cmd.ErrOrStderr()
			return d.run()
		},
	}
	cmd.Flags().StringArrayVar(&d.set, "set", nil, "put `PATH=VALUE` into the job file, as in sources.docs.walk.root=DIR; may be repeated")
	cmd.Flags().Var(d.level, "log-level", "least level that is logged; auto is warn on a terminal and info elsewhere")
	return cmd
}

// dev is one `wasmill dev`.
type dev struct {
	file           string
	set            []string
	level          *choice
	stdout, stderr io.Writer

	scr   *screen
	watch *watch
}

// run runs the job again and again. A job that does not build or run is shown
// and waited upon; what ends this is a signal, or a reader that has gone.
func (d *dev) run() error {
	if _, err := os.Stat(d.file); err != nil {
		return &usageError{fmt.Errorf("job file: %w", err)}
	}
	d.scr = newScreen(d.stderr)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	sig := catchSignals(d.scr, cancel)
	defer sig.close()
	w, err := newWatch(d.scr, d.stdout, d.stderr)
	if err != nil {
		return err
	}
	defer w.close()
	d.watch = w
	for {
		changed, err := d.round(ctx)
		switch {
		case errors.Is(context.Cause(ctx), errSignal):
			return errInterrupted
		case err != nil:
			return err
		}
		d.scr.clear()
		d.scr.say("%s has changed", shown(changed))
	}
}

// round runs the job once and returns what has changed since. A change while
// the job runs ends it.
func (d *dev) round(ctx context.Context) (changed string, err error) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(errChanged) })() // a signal says itself what it does
	d.watch.file(d.file)
	over := d.overrides()

	var wg sync.WaitGroup
	defer wg.Wait()
	ended := make(chan error, 1) // for the one result
	wg.Go(func() {
		r := &runner{
			flags: jobFlags{over: over}, file: d.file, fresh: true, output: newChoice("table"), level: d.level,
			stdout: d.stdout, stderr: d.stderr, reads: d.watch.source, before: cpuTime(),
		}
		ended <- r.drive(run, d.scr, cancel, func(interface{ Stop() }) {})
	})
	came := make(chan change, 1) // for the one change
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	wg.Go(func() { came <- d.watch.wait(waiting) })

	for running := true; ; {
		select {
		case err := <-ended:
			running = false
			switch {
			case errors.Is(context.Cause(run), errReaderGone):
				return "", errInterrupted
			case ctx.Err() != nil:
				return "", context.Cause(ctx)
			}
			if err != nil {
				complain(d.scr, err)
			}
			d.scr.say("waiting for a change; Ctrl-C ends")
		case c := <-came:
			if running {
				cancel(errChanged)
				<-ended
			}
			return c.path, c.err
		}
	}
}

// overrides puts state and output of the job to a place of their own, and
// watches what the job file names. A job file with faults is reported by the
// run.
func (d *dev) overrides() (over jobspec.Overrides) {
	over.Set = d.set
	spec, err := host.Load(d.file, registry(io.Discard), over)
	if err != nil {
		return over
	}
	d.watch.job(spec)
	return devOverrides(spec, d.set)
}
