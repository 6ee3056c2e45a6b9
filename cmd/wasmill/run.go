package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/tenant"
)

func runCommand() *cobra.Command {
	r := &runner{output: newChoice("table", "json"), level: newChoice("auto", "debug", "info", "warn", "error")}
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Run a job until its input has ended",
		Long: "Run a job until its input has ended.\n" +
			"A job that was stopped or killed goes on where its last commit left it.\n" +
			"SIGINT or SIGTERM stops behind the epoch under way, a second one at once; neither loses anything.",
		Args: takes("JOB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.isolate.check(cmd); err != nil {
				return err
			}
			r.file, r.stdout, r.stderr = args[0], cmd.OutOrStdout(), cmd.ErrOrStderr()
			return r.run()
		},
	}
	r.flags.add(cmd)
	cmd.Flags().BoolVar(&r.fresh, "fresh", false, "drop the job's state and output and start over")
	cmd.Flags().Var(r.output, "output", "form of the summary: a table on standard error, or a JSON document on standard output (on standard error if the job prints records)")
	r.isolate.add(cmd)
	cmd.Flags().Var(r.level, "log-level", "least level that is logged; auto is warn on a terminal and info elsewhere")
	return cmd
}

// runner is one `wasmill run`.
type runner struct {
	flags          jobFlags
	file           string
	fresh          bool
	output, level  *choice
	isolate        isolation
	reads          func(dir string) // as in host.Options
	before         time.Duration    // CPU time of the process that is not of this run
	stdout, stderr io.Writer
}

func (r *runner) run() error {
	scr := newScreen(r.stderr)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	sig := catchSignals(scr, cancel)
	defer sig.close()
	return r.drive(ctx, scr, cancel, sig.running)
}

// drive opens the job, tells running of it, and runs it until it ends or ctx
// does; why that has ended, cancel is told.
func (r *runner) drive(ctx context.Context, scr *screen, cancel context.CancelCauseFunc, running func(interface{ Stop() })) error {
	job, err := r.open(ctx, scr, cancel)
	if err != nil {
		return r.ended(ctx, scr, err)
	}
	if job.Decision() == epoch.Nothing {
		return errors.Join(r.nothingToDo(scr, job), job.Close())
	}
	running(job)
	start := job.Status().Elapsed
	stopProgress := showProgress(scr, job)
	res, err := job.Run(ctx)
	stopProgress()
	switch {
	case err != nil && ctx.Err() != nil:
		err = r.ended(ctx, scr, err)
	case res.Stopped && !res.Finished && (err == nil || errors.Is(err, host.ErrPartial)):
		scr.say("stopped: the next run goes on behind epoch %d", job.Status().Epoch)
		err = errInterrupted
	}
	s := summarise(job, start, res, err)
	err = errors.Join(err, job.Close())
	if errors.Is(err, errChanged) {
		return err
	}
	s.Exit = exitCode(err)
	return errors.Join(err, r.print(scr, job, s))
}

// open opens the job here, or in a process of its own.
func (r *runner) open(ctx context.Context, scr *screen, cancel context.CancelCauseFunc) (job, error) {
	if r.isolate.on {
		return r.isolate.open(ctx, r, scr, cancel)
	}
	o := jobOptions(tenant.Request{
		File: r.file, Overrides: r.flags.over, Fresh: r.fresh, LogLevel: r.level.value,
	}, r.stdout, scr, cancel)
	o.Reads = r.reads
	j, err := host.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return localJob{j, r.before}, nil
}

// jobOptions are the options of a job that prints records to stdout and says
// everything else on scr.
func jobOptions(r tenant.Request, stdout io.Writer, scr *screen, cancel context.CancelCauseFunc) host.Options {
	out := &recordOutput{w: stdout, broken: func() { cancel(errReaderGone) }}
	return host.Options{
		File: r.File, Overrides: r.Overrides, Registry: registry(out), Fresh: r.Fresh, CacheDir: r.CacheDir,
		Log: newLogger(scr, r.LogLevel),
		Building: func(dir string) {
			scr.say("building %s (once, some seconds)…", shown(dir))
		},
	}
}

// ended turns what became of a cancelled run into the reason of the
// cancelling, and says it. Any other error stays what it is.
func (r *runner) ended(ctx context.Context, scr *screen, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errReaderGone):
		scr.say("stopped: nobody reads standard output any more; the next run goes on with what was not printed")
	case errors.Is(cause, errChanged):
		return errChanged
	case errors.Is(cause, errSignal) && errors.Is(err, context.Canceled):
		scr.say("stopped at once: the next run goes on from the last commit")
	default:
		return err
	}
	return errInterrupted
}

func (r *runner) nothingToDo(scr *screen, job job) error {
	s := summarise(job, job.Status().Elapsed, container.Outcome{Finished: true}, nil)
	scr.say("job %s has finished before; there is nothing to do", s.Job)
	for _, o := range s.Outputs {
		scr.say("  output %s: %s", o.Sink, o.where())
	}
	scr.say("run with --fresh to drop its state and output and start over")
	if r.output.value == "json" {
		return r.print(scr, job, s)
	}
	return nil
}

// print prints the summary: JSON is a result and goes to standard output,
// unless the job prints its records there.
func (r *runner) print(scr *screen, job job, s *summary) error {
	if r.output.value == "table" {
		_, err := io.WriteString(scr, s.table())
		return err
	}
	w := r.stdout
	if printsRecords(job.Spec()) {
		w = scr
	}
	doc, err := s.json()
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = w.Write(doc)
	return err
}
