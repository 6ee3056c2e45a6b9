package container_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/task"
)

// lettersModule returns a module that does what a record's first letter says:
//
//	a  it passes
//	r  it is rejected
//	f  what it emits is no frame, a breach of the interface
//	b  a trap
//	m  a trap if the batch has more than two records
//	x  a trap, and the next nine instances do not start
//	y  a trap, and the next ten instances do not start
func lettersModule() guest.Module {
	unborn := 0
	return guest.Native("letters", func(_ guest.Init, c guest.Calls) (guest.NativeInstance, error) {
		if unborn > 0 {
			unborn--
			return nil, errors.New("no start")
		}
		return &letters{calls: c, unborn: &unborn}, nil
	})
}

type letters struct {
	calls  guest.Calls
	unborn *int
}

func (g *letters) Batch(b *wire.Batch) (abi.Errno, error) {
	var out wire.Batch
	var rec record.Record
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		switch letter := rec.Value[0]; letter {
		case 'r':
			g.calls.Fail(uint32(i), 1, []byte("no"))
		case 'f':
			return g.calls.Emit([]byte("short")), nil
		case 'x', 'y':
			*g.unborn = int(letter-'x') + 9
			return abi.OK, errors.New("no luck")
		case 'b':
			return abi.OK, errors.New("no luck")
		case 'm':
			if b.Count > 2 {
				return abi.OK, errors.New("too many")
			}
			fallthrough
		default:
			out.Add(&record.Record{Time: record.NoTime, Cause: uint32(i), Value: rec.Value})
		}
	}
	return g.calls.Emit(out.AppendFrame(nil)), nil
}

func (g *letters) End([]byte) (bool, abi.Errno, error) { return false, abi.OK, nil }

func lettersJob(values string, batch int, policy jobspec.ModulePolicy) *job {
	j := newJob(memSource{{"file", strings.Split(values, "")}}, jobspec.Step{Name: "s", From: []jobspec.Ref{{Name: "in"}}, Wasm: "native", Outputs: []string{"out"}})
	j.spec.OnError.Record, j.spec.OnError.Module = jobspec.RecordPolicy{Action: jobspec.Skip}, policy
	j.batch.Records = batch
	j.modules = []guest.Module{lettersModule()}
	return j
}

// TestOnError_CrashLoops runs a module that never recovers, and one that does,
// under both policies. Virtual time tells how often it was given up on.
func TestOnError_CrashLoops(t *testing.T) {
	const (
		parked = "parked after 10 faults in a row: "
		nine   = 51_100 * time.Millisecond // the waits behind nine faults: 100 ms, 200 ms … 25.6 s
		four   = 1_500 * time.Millisecond
		one    = 100 * time.Millisecond
	)
	again := strings.Repeat
	for _, tt := range []struct {
		name   string
		values string
		batch  int
		says   string // under restart; "": the run ends well
		waited time.Duration
		fails  string // under fail; "": the run ends well
	}{
		{"unsteady throughout", again("m", 200), 4, parked + "batches fail whole and pass in parts", nine, "batches fail whole and pass in parts"},
		{"unsteady, with a good batch between", again(again("m", 16)+"aaaa", 20), 4, "", one + 19*four, "batches fail whole"},
		{"unsteady, with a bad record between", again(again("m", 16)+"aaab", 20), 4, "", one + 19*four, "batches fail whole"},
		{"unsteady three times", again("m", 12) + again("a", 100), 4, "", 0, ""},
		{"traps throughout", again("b", 10_000), 500, parked + "6000 records in a row trapped, the last one: trap: no luck", nine, "1500 records in a row trapped"},
		{"traps throughout, record by record", again("b", 1200), 1, parked + "1010 records in a row trapped, the last one: trap: no luck", nine, "1001 records in a row"},
		{"a thousand bad records, twice", again(again("b", 1000)+"a", 2), 1, "", 0, ""},
		{"a thousand bad records, twice, and one rejected", again(again("b", 1000)+"r", 2), 1, "", 0, ""},
		{"many bad records, again and again", again(again("b", 1500)+again("a", 500), 12), 500, "", 12 * one, "1500 records in a row"},
		{"rejects throughout", again("r", 3000), 1, "", 0, ""},
		{"does not start again", "aya", 1, parked + "init: no start", nine, "init: no start"},
		{"hardly starts, but works", "xaxaxa", 1, "", 3 * nine, "init: no start"},
		{"breaks the interface", "aafaa", 2, "", 0, "abi: emit: "},
		{"hardly starts, and does not work", "xxa", 1, parked + "init: no start", nine, "init: no start"},
	} {
		for _, policy := range []jobspec.ModulePolicy{jobspec.ModuleRestart, jobspec.ModuleFail} {
			t.Run(tt.name+"/"+string(policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					says, waited := tt.says, tt.waited
					if policy == jobspec.ModuleFail {
						says, waited = tt.fails, 0
					}
					j, began := lettersJob(tt.values, tt.batch, policy), time.Now()
					out, err := j.run(t)
					if got := time.Since(began); got != waited {
						t.Errorf("it took %v, want %v", got, waited)
					}
					if says == "" {
						passed := strings.Count(tt.values, "a") + strings.Count(tt.values, "m")
						if err != nil || !out.Finished || len(j.sinks[0].got) != passed || out.Counts.Skipped != int64(len(tt.values)-passed) {
							t.Errorf("%v; %d records of %d came, %+v", err, len(j.sinks[0].got), passed, out.Counts)
						}
						return
					}
					var failed *task.ModuleFailure
					if !errors.As(err, &failed) || failed.Step != "s" || !strings.Contains(err.Error(), says) {
						t.Errorf("the run ends with %v, want %q", err, says)
					}
				})
			})
		}
	}
}

func TestStatus_CountsFailuresByKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := lettersJob("abrxarmb", 1, jobspec.ModuleRestart).container(t)
		if _, err := k.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := k.Status().Steps[0]
		if want := map[string]int64{"rejected": 2, "trap": 3}; s.Failed != 5 || !maps.Equal(s.FailedBy, want) {
			t.Errorf("failed: %d, %v, want %v", s.Failed, s.FailedBy, want)
		}
		if want := map[string]int64{"trap": 3, "init": 9}; s.Traps != 12 || !maps.Equal(s.TrapsBy, want) {
			t.Errorf("traps: %d, %v, want %v", s.Traps, s.TrapsBy, want)
		}

		k = lettersJob("aa", 1, jobspec.ModuleRestart).container(t)
		if _, err := k.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := k.Status().Steps[0]; s.Failed != 0 || s.FailedBy != nil || s.Traps != 0 || s.TrapsBy != nil {
			t.Errorf("nothing failed: %+v", s)
		}
	})
}
