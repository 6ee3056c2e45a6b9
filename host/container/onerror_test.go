package container_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/task"
)

func (e *each) Batch(b *wire.Batch) (abi.Errno, error) {
	var out wire.Batch
	var rec record.Record
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		v, err := e.do(e.calls, uint32(i), &rec)
		if err != nil {
			return abi.OK, err
		}
		if v != nil {
			out.Add(&record.Record{Time: record.NoTime, Cause: uint32(i), Key: rec.Key, Value: v})
		}
	}
	if out.Count == 0 {
		return abi.OK, nil
	}
	return e.calls.Emit(out.AppendFrame(nil)), nil
}

func (e *each) End([]byte) (bool, abi.Errno, error) { return false, abi.OK, nil }

// number counts a key in its store and emits "value=count". What it does with
// "x!" comes after it wrote that record's count, which its neighbours read.
func number(fault func(c guest.Calls, i uint32) error) guest.Module {
	return eachModule("number", func(c guest.Calls, i uint32, r *record.Record) ([]byte, error) {
		n := byte('1')
		if v, e := c.StateGet(0, r.Key); e == abi.OK {
			n = v[0] + 1
		}
		if e := c.StatePut(0, r.Key, []byte{n}); e != abi.OK {
			return nil, errors.New(e.String())
		}
		if strings.HasSuffix(string(r.Value), "!") {
			if err := fault(c, i); err != nil {
				return nil, err
			}
		}
		return fmt.Appendf(nil, "%s=%c", r.Value, n), nil
	})
}

// TestOnError runs a record that fails behind an exchange, between neighbours
// of its key in one batch, under each policy.
func TestOnError(t *testing.T) {
	for _, f := range []struct {
		name  string
		fault func(c guest.Calls, i uint32) error
		class string
		code  string
		text  string
	}{
		{"rejected", func(c guest.Calls, i uint32) error { c.Fail(i, 42, []byte("not a number")); return nil }, "rejected", "42", "rejected: not a number"},
		{"trap", func(guest.Calls, uint32) error { return errors.New("divide by zero") }, "trap", "0", "trap: divide by zero"},
		{"malformed frame", func(c guest.Calls, _ uint32) error { c.Emit([]byte("short")); return nil }, "abi", "0", "abi: emit: "},
	} {
		for _, policy := range []jobspec.RecordPolicy{{Action: jobspec.Fail}, {Action: jobspec.Skip}, {Action: jobspec.DeadLetter, Sink: "dead"}} {
			for _, own := range []bool{false, true} { // the policy is the step's own
				t.Run(fmt.Sprintf("%s/%s/own=%v", f.name, policy.Action, own), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						j := newJob(memSource{{"other", []string{"c0"}}, {"dir/file", []string{"a0", "b1", "a1!", "a2", "b2"}}}, jobspec.Step{
							Name: "check", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"},
							Key: &jobspec.Key{Own: true}, Partitions: 1, Tasks: 1, Stores: []jobspec.Store{{Name: "counts"}},
						})
						if j.spec.OnError.Record = policy; own {
							j.spec.OnError.Record = jobspec.RecordPolicy{Action: jobspec.Fail}
							j.spec.Steps[0].OnError = &policy
						}
						module := number(f.fault)
						j.modules = []guest.Module{module}
						out, err := j.run(t)
						from := fmt.Sprintf("job j, step check, module %s: source in, partition %q, position 2: %s", module.Digest()[:19], "dir/file", f.text)
						if policy.Action == jobspec.Fail {
							var failed *task.RecordFailure
							if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), from) || !strings.Contains(err.Error(), "skip and dead_letter") {
								t.Fatalf("the run ends with %q, want %q", err, from)
							}
							if failed.Reason.Class != f.class || out.Finished {
								t.Errorf("%+v, %+v", failed.Reason, out)
							}
							// What came before it in its split is there, and what came after
							// is not; another split may have been read or not.
							before := slices.DeleteFunc(slices.Sorted(slices.Values(j.sinks[0].got)), func(v string) bool { return v == "c0=1" })
							if want := []string{"a0=1", "b1=1"}; !slices.Equal(before, want) {
								t.Errorf("before the failed record came %q, want %q", j.sinks[0].got, want)
							}
							j.splits[1].values[2] = "a1"
							if out, err = j.run(t); err != nil || !out.Finished {
								t.Fatal(err)
							}
							if want := []string{"a0=1", "a1=2", "a2=3", "b1=1", "b2=2", "c0=1"}; !slices.Equal(slices.Sorted(slices.Values(j.sinks[0].got)), want) {
								t.Errorf("in all came %q, want %q", j.sinks[0].got, want)
							}
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						// The neighbours' records, as if it had never been there.
						if want := []string{"a0=1", "a2=2", "b1=1", "b2=2", "c0=1"}; !slices.Equal(slices.Sorted(slices.Values(j.sinks[0].got)), want) {
							t.Errorf("came %q, want %q", j.sinks[0].got, want)
						}
						want := epoch.Counts{Records: 6, Splits: 2, Out: 5}
						if policy.Action == jobspec.Skip {
							want.Skipped = 1
							for _, part := range []string{"step=check", "module=" + module.Digest()[:10], "source=in", "partition=dir/file", "position=2", "class=" + f.class} {
								if !strings.Contains(j.log.String(), part) {
									t.Errorf("the log lacks %s:\n%s", part, &j.log)
								}
							}
						} else {
							want.DeadLetter = 1
							checkLetter(t, j.sinks[1], module.Digest(), f.class, f.code, f.text)
						}
						if out.Counts != want {
							t.Errorf("counts are %+v, want %+v", out.Counts, want)
						}
					})
				})
			}
		}
	}
}

func checkLetter(t *testing.T, dead *memSink, module, class, code, text string) {
	t.Helper()
	if !slices.Equal(dead.got, []string{"a1!"}) {
		t.Fatalf("dead letters are %q", dead.got)
	}
	h := maps.Clone(dead.in[0])
	if why := h["wasmill-error"]; !strings.Contains(text, strings.TrimPrefix(why, class+": ")) && !strings.HasPrefix(why, text) {
		t.Errorf("error is %q, want %q", why, text)
	}
	delete(h, "wasmill-error")
	want := map[string]string{
		"wasmill-job": "j", "wasmill-step": "check", "wasmill-module": module, "wasmill-error-class": class, "wasmill-error-code": code,
		"wasmill-source": "in", "wasmill-partition": "dir/file", "wasmill-partition-number": "1", "wasmill-position": "2",
	}
	if !maps.Equal(h, want) {
		t.Errorf("headers are\n%v\nwant\n%v", h, want)
	}
}

// TestOnError_RollbackRepeatsNothing fails a record some epochs after the
// start: the writers are opened again in the same run, and told that
// everything is finalised, so that a sink that prints does not print again.
func TestOnError_RollbackRepeatsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob(memSource{{"file", []string{"a0", "a1", "a2", "a3", "a4", "a5!", "a6"}}}, jobspec.Step{Name: "check", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}})
		j.spec.Epoch = 100 * time.Millisecond
		j.batch.Records = 1
		j.modules = []guest.Module{eachModule("check", func(c guest.Calls, i uint32, r *record.Record) ([]byte, error) {
			time.Sleep(60 * time.Millisecond)
			if strings.HasSuffix(string(r.Value), "!") {
				c.Fail(i, 1, []byte("no"))
			}
			return r.Value, nil
		})}
		_, err := j.run(t)
		var failed *task.RecordFailure
		if !errors.As(err, &failed) || failed.Origin.Position() != 5 {
			t.Fatal(err)
		}
		if want := []string{"a0", "a1", "a2", "a3", "a4"}; !slices.Equal(j.sinks[0].got, want) {
			t.Errorf("came %q, want %q", j.sinks[0].got, want)
		}
		want := []string{"writer 0, generation 1, token false, finalised false", "writer 0, generation 2, token true, finalised true"}
		if !slices.Equal(j.sinks[0].opened, want) {
			t.Errorf("the writer was opened with %q, want %q", j.sinks[0].opened, want)
		}
	})
}

// TestOnError_AggregateSaysSo fails a record that a batch as a whole caused.
func TestOnError_AggregateSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob(memSource{{"file", []string{"a", "b", "c"}}},
			jobspec.Step{Name: "sum", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}},
			jobspec.Step{Name: "check", From: []jobspec.Ref{{Name: "sum"}}, Wasm: "native", Outputs: []string{"out"}},
		)
		j.batch.Records = 2
		j.modules = []guest.Module{
			eachModule("sum", func(c guest.Calls, i uint32, r *record.Record) ([]byte, error) {
				if i > 0 {
					var b wire.Batch
					b.Add(&record.Record{Time: record.NoTime, Cause: abi.CauseBatch, Value: []byte("sum")})
					c.Emit(b.AppendFrame(nil))
				}
				return nil, nil
			}),
			eachModule("check", func(c guest.Calls, i uint32, _ *record.Record) ([]byte, error) {
				c.Fail(i, 1, []byte("no sums"))
				return nil, nil
			}),
		}
		_, err := j.run(t)
		if want := `: a record aggregated from a batch that begins at source in, partition "file", position 0: rejected: no sums`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the run ends with %v, want %q", err, want)
		}
	})
}

// TestOnError_ModuleFails says that a batch that only fails whole is the
// module's fault.
func TestOnError_ModuleFails(t *testing.T) {
	for _, policy := range []jobspec.ModulePolicy{jobspec.ModuleFail, jobspec.ModuleRestart} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var values []string
				for i := range 40 {
					values = append(values, fmt.Sprintf("%c%d", 'a'+i%3, i))
				}
				j := newJob(memSource{{"file", values}}, jobspec.Step{Name: "moody", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}})
				j.spec.OnError.Module = policy
				j.batch.Records = 4
				j.modules = []guest.Module{guest.Native("moody", func(_ guest.Init, c guest.Calls) (guest.NativeInstance, error) {
					return &moodyGuest{each{calls: c, do: func(_ guest.Calls, _ uint32, r *record.Record) ([]byte, error) { return r.Value, nil }}}, nil
				})}
				_, err := j.run(t)
				if policy == jobspec.ModuleRestart {
					if err != nil || !slices.Equal(j.sinks[0].got, values) {
						t.Errorf("%v; came %q", err, j.sinks[0].got)
					}
					return
				}
				var failed *task.ModuleFailure
				if !errors.As(err, &failed) || failed.Step != "moody" || !strings.Contains(err.Error(), "fail whole and pass in parts") {
					t.Errorf("the run ends with %v", err)
				}
			})
		})
	}
}

// moodyGuest traps on any batch of more than two records.
type moodyGuest struct{ each }

func (g *moodyGuest) Batch(b *wire.Batch) (abi.Errno, error) {
	if b.Count > 2 {
		return abi.OK, errors.New("too many")
	}
	return g.each.Batch(b)
}

// TestStatus_CountsGuestsOfEveryAttempt fails the last record: what guests
// used before the rollback is not forgotten, although the run behind it has
// next to nothing to do.
func TestStatus_CountsGuestsOfEveryAttempt(t *testing.T) {
	j := newJob(memSource{{"file", []string{"a", "b!"}}}, jobspec.Step{Name: "check", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}})
	j.batch.Records = 1
	const work = 50 * time.Millisecond
	j.modules = []guest.Module{eachModule("check", func(c guest.Calls, i uint32, r *record.Record) ([]byte, error) {
		if strings.HasSuffix(string(r.Value), "!") {
			for began := cpuTime(t); cpuTime(t) < began+work; {
			}
			c.Fail(i, 1, []byte("no"))
		}
		return r.Value, nil
	})}
	k := j.container(t)
	if _, err := k.Run(t.Context()); err == nil {
		t.Fatal("no failure")
	}
	if used := k.Status().Steps[0].Guest; used < work/10 { // other threads of this process use some too
		t.Errorf("the guests used %v", used)
	}
}

// cpuTime returns the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
