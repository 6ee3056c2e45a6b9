package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

const copyJob = `
job: copy
sources:
  docs:
    walk: {root: ./in}
    tasks: 2
sinks:
  out:
    from: docs
    file: {path: ./out, format: lines}
on_error: {source: %s}
epoch: 10ms
`

// runBetween runs job.yaml and calls between when the whole tree is listed and
// nothing of it is read.
func (f *fixture) runBetween(t *testing.T, between func()) (faults []string, err error) {
	t.Helper()
	o := f.options()
	var job *host.Job
	var once sync.Once
	o.Hooks.Yield = func(task int) {
		if task <= 0 { // the coordinator, the committer, the task that lists
			return
		}
		once.Do(func() {
			for !job.Status().Found[0].Done {
				if t.Context().Err() != nil {
					return
				}
				runtime.Gosched()
			}
			between()
		})
	}
	if job, err = host.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	out, err := job.Run(t.Context())
	if e := job.Close(); e != nil {
		t.Error(e)
	}
	for _, list := range out.Faults {
		for _, fault := range list {
			path := fault.Path
			if len(path) > 200 {
				path = "deep"
			}
			faults = append(faults, fmt.Sprintf("%s %s", fault.Kind, path))
		}
	}
	if int(out.Counts.Faults) != len(faults) {
		t.Errorf("%d faults are counted, %d listed", out.Counts.Faults, len(faults))
	}
	slices.Sort(faults)
	if !out.Finished {
		t.Errorf("not finished: %+v", out)
	}
	return faults, err
}

// makeDeep nests directories until a path has more bytes than one may have.
func makeDeep(t *testing.T, dir string) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 17 {
		name := strings.Repeat("n", 255)
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	at.Close()
}

// Everything that can be wrong with a part of a tree, at once: each part is
// listed with what was wrong, and the rest arrives.
func TestSource_PartsThatCannotBeRead(t *testing.T) {
	for policy, want := range map[string]error{"fail": host.ErrPartial, "skip": nil} {
		t.Run(policy, func(t *testing.T) {
			plugintest.NoLeak(t)
			f := newFixture(t)
			f.write("job.yaml", fmt.Sprintf(copyJob, policy))
			for name, text := range map[string]string{
				"good": "good 1\ngood 2\n", "d/no-newline": "tail", "d/empty": "", "\xff\xfe/\xf0name": "bytes\n", "d/\nline": "odd name\n",
				"d/vanishes": "gone\n", "d/grows": "grows 1\n", "d/shrinks": "shrinks 1\nshrinks 2\n", "d/fifo": "never\n",
				"d/corrupt.gz": "\x1f\x8b\x08 this is no gzip",
			} {
				f.write("in/"+name, text)
			}
			makeDeep(t, f.path("in"))
			faults, err := f.runBetween(t, func() {
				in := func(name string) string { return f.path("in/d/" + name) }
				f.write("in/d/grows", "grows 1\ngrows 2\n")
				err := errors.Join(os.Remove(in("vanishes")), os.Truncate(in("shrinks"), 10), os.Remove(in("fifo")), syscall.Mkfifo(in("fifo"), 0o644))
				if err != nil {
					t.Error(err)
				}
			})
			if !errors.Is(err, want) || err == nil && want != nil {
				t.Errorf("error %v, want %v", err, want)
			}
			wantFaults := []string{"changed d/fifo", "changed d/grows", "changed d/shrinks", "corrupt d/corrupt.gz", "unreadable deep", "vanished d/vanishes"}
			if !slices.Equal(faults, wantFaults) {
				t.Errorf("faults %q, want %q", faults, wantFaults)
			}
			wantLines := []string{"bytes", "good 1", "good 2", "grows 1", "odd name", "shrinks 1", "tail"}
			if got := f.lines("out"); !slices.Equal(got, wantLines) {
				t.Errorf("lines %q, want %q", got, wantLines)
			}

			// It is finished all the same: the parts are not looked for again.
			job, err := host.Open(t.Context(), f.options())
			if err != nil {
				t.Fatal(err)
			}
			defer job.Close()
			if out, err := job.Run(t.Context()); job.Decision != epoch.Nothing || !out.Finished || err != nil {
				t.Errorf("the next run: %v, %+v, %v", job.Decision, out, err)
			}
		})
	}
}

func TestSource_WithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	f := newFixture(t)
	f.write("job.yaml", fmt.Sprintf(copyJob, "fail"))
	f.write("in/good", "good\n")
	f.write("in/secret", "no\n")
	f.write("in/closed/f", "no\n")
	if err := errors.Join(os.Chmod(f.path("in/secret"), 0), os.Chmod(f.path("in/closed"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(f.path("in/closed"), 0o755) })
	faults, err := f.runBetween(t, func() {})
	if !errors.Is(err, host.ErrPartial) || !slices.Equal(faults, []string{"unreadable closed", "unreadable secret"}) {
		t.Errorf("faults %q, %v", faults, err)
	}
	if got := f.lines("out"); !slices.Equal(got, []string{"good"}) {
		t.Errorf("lines %q", got)
	}
}

// bigLine is a line of 1 GiB.
const bigLine = 1 << 30

func init() {
	children["big-line"] = func(args []string) error {
		f := &fixture{dir: args[0]}
		out, err := runJob(context.Background(), f.options("on_error.record=skip"))
		if err != nil || !out.Finished || out.Counts.Skipped != 1 || out.Counts.Out != 2 {
			return fmt.Errorf("%+v, %v\n%s", out, err, f.log.String())
		}
		what := fmt.Sprintf(`class=too_large error="\"big\": a line of %d bytes is over limits.max_record of %d"`, bigLine+1, 1<<20)
		for _, want := range []string{what, "source=docs partition=big position=7\n"} {
			if log := f.log.String(); !strings.Contains(log, want) {
				return fmt.Errorf("the log does not say %s:\n%s", want, log)
			}
		}
		mib, err := peakMemory()
		if err == nil && mib > 200 {
			err = fmt.Errorf("it took %d MiB of memory", mib)
		}
		return err
	}
}

func TestSource_ALineOfAGiB(t *testing.T) {
	f := newFixture(t)
	f.write("job.yaml", fmt.Sprintf(copyJob, "fail"))
	f.write("in/big", "before\n")
	file, err := os.OpenFile(f.path("in/big"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte("\nbehind\n"), int64(len("before\n"))+bigLine) // zeros that take no room
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	// Under fail the record is named, and what comes before it is out.
	_, err = runJob(t.Context(), f.options())
	if err == nil || !strings.Contains(err.Error(), `partition "big", position 7: too_large: `) {
		t.Errorf("error %v", err)
	}
	if got := f.lines("out"); !slices.Equal(got, []string{"before"}) {
		t.Errorf("lines %q", got)
	}

	c := child(t, "big-line", f.dir)
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if got := f.lines("out"); !slices.Equal(got, []string{"before", "behind"}) {
		t.Errorf("lines %q", got)
	}
}
