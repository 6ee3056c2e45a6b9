package container_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// planted is a bug that the simulation must find: one text of the engine,
// which is there exactly once, and another in its place.
type planted struct {
	name     string
	file     string // below the repository's root
	old, new string
}

var bugs = []planted{
	{"finalise before decide", "host/epoch/commit.go",
		"	if err := c.Decider.Decide(ctx, e); err != nil {\n",
		"	if err := c.each(ctx, e, BeforeFinalise, finalise); err != nil {\n		return err\n	}\n	if err := c.Decider.Decide(ctx, e); err != nil {\n"},
	{"a finalise that failed counts as done", "host/epoch/commit.go",
		"		return fmt.Errorf(\"%w: %w\", ErrFinalise, err)\n",
		"		return nil\n"},
	{"tokens of sinks are not decided", "host/epoch/delta.go",
		"	all = append(all, e.tokens...)\n",
		""},
	{"of two rows of a key the first counts", "host/epoch/delta.go",
		"		if i+1 == len(all) || !bytes.Equal(r.Key, all[i+1].Key) {\n",
		"		if i == 0 || !bytes.Equal(r.Key, all[i-1].Key) {\n"},
	{"an unknown outcome is taken for a commit", "host/epoch/embedded.go",
		"		if err == nil || errors.Is(err, state.ErrOutcomeUnknown) || left == 0 {\n			return err\n",
		"		if err == nil || errors.Is(err, state.ErrOutcomeUnknown) || left == 0 {\n			if left > 0 {\n				return nil\n			}\n			return err\n"},
	{"writers share one token", "host/epoch/rows.go",
		"	return be.AppendUint32(k, uint32(writer))\n",
		"	return be.AppendUint32(k, 0)\n"},
	{"a store's number is not in its keys", "host/epoch/rows.go",
		"	dst = be.AppendUint16(dst, store)\n",
		"	dst = be.AppendUint16(dst, 0)\n"},
	{"a run is called clean though a commit was not finalised", "host/container/run.go",
		"	case r.settled.Load():\n",
		"	case true:\n"},
	{"cuts are looked for once tasks may have come to them", "host/container/run.go",
		"	total := int32(len(r.tasks) + len(r.finders))\n",
		"	total := int32(len(r.tasks) + len(r.finders))\n	r.cutting = r.cuts.Load() > 0\n"},
	{"the enumerator's word on a split counts more than its reader's", "host/container/run.go",
		"func(a, b *epoch.Delta) int { return a.Task - b.Task }",
		"func(a, b *epoch.Delta) int { return b.Task - a.Task }"},
	{"a commit does not wait for all tasks", "host/container/run.go",
		"	if len(r.deltas) < r.live {\n",
		"	if len(r.deltas) < min(r.live, 2) {\n"},
	{"the position in a split is not saved", "host/task/source.go",
		"		rows = append(rows, s.row())\n",
		""},
	{"reading begins at the start of a split", "host/task/source.go",
		"s.source.Open(ctx, s.cur.Split.Split, s.cur.Next)",
		"s.source.Open(ctx, s.cur.Split.Split, s.cur.Start)"},
	{"a finished split keeps its row", "host/task/source.go",
		"	s.finished = append(s.finished, epoch.Row{Key: epoch.SplitKey(s.index, s.cur.ID)})\n",
		""},
	{"a cut goes through what comes with a fault", "host/task/source.go",
		"	if s.cur.cut >= 0 && pos >= s.cur.cut {\n",
		"	if s.cur.cut >= 0 && pos > s.cur.cut {\n"},
	{"input ends though a split is parked", "host/task/source.go",
		"		case ended && !s.parked:\n",
		"		case ended:\n"},
	{"an item that was dealt with goes on waiting", "host/task/enumerator.go",
		"	for _, k := range d.Done {\n",
		"	for _, k := range d.Done[:0] {\n"},
	{"discovery is not known to have begun", "host/task/enumerator.go",
		"		e.rows = append(e.rows, epoch.Row{Key: epoch.StartedKey(e.Index), Value: []byte{1}})\n",
		""},
	{"a split is read before the epoch of its discovery", "host/task/pool.go",
		"s.found > open {",
		"s.found > open+1 {"},
	{"a barrier is not aligned", "host/task/task.go",
		"func (t *Task) aligned() bool {\n",
		"func (t *Task) aligned() bool {\n	for _, in := range t.inputs {\n		if in.marked {\n			return true\n		}\n	}\n"},
	{"an input is read past its mark", "host/task/task.go",
		"		if in.ended || in.marked {\n",
		"		if in.ended {\n"},
	{"positions behind an exchange are not saved", "host/task/task.go",
		"at != nil && at.moved {\n",
		"at != nil && false {\n"},
	{"sealed state turns clean before it is committed", "host/task/task.go",
		"t.Control.Committed.Load() < t.epoch-1 {",
		"t.Control.Committed.Load()+1 < t.epoch-1 {"},
	{"what waits for an exchange comes behind the mark", "host/task/outlet.go",
		"func (o *outlet) tell(it item) {\n	o.flush()\n",
		"func (o *outlet) tell(it item) {\n	defer o.flush()\n"},
	{"records lose their origin at an exchange", "host/task/outlet.go",
		"	b.addRaw(r, from)\n",
		"	b.addRaw(r, Origin{})\n"},
	{"state of a rejected batch is kept", "host/task/step.go",
		"	s.t.State.Undo()\n",
		"	s.t.State.Keep()\n"},
	{"records of a rejected batch go out", "host/task/step.go",
		"	s.t.State.Undo()\n",
		"	s.t.State.Undo()\n	if err := s.emit(ctx); err != nil {\n		return nil, err\n	}\n"},
	{"half of a bisected batch is lost", "host/task/step.go",
		"v.slice(half, v.Count), v.slice(0, half))",
		"v.slice(0, half))"},
	{"a bisected batch is run in the wrong order", "host/task/step.go",
		"v.slice(half, v.Count), v.slice(0, half))",
		"v.slice(0, half), v.slice(half, v.Count))"},
	{"the neighbours of a rejected record are lost", "host/task/step.go",
		"rest.Count > 0 {",
		"rest.Count > 1 {"},
	{"progress of an end is not saved", "host/task/ends.go",
		"	e.changed = append(e.changed, row)\n",
		"	_ = row\n"},
	{"a task reads on behind its end", "host/task/ends.go",
		"		e.begun = e.begun || e.progress.Done || e.progress.Token != nil\n",
		""},
	{"state in the cache stays as it was", "state/overlay/overlay.go",
		"		o.cache.put(h, key, value)\n",
		""},
	{"the cache is asked before the deltas", "state/overlay/overlay.go",
		"	h := o.hash(key)\n	if _, r := o.open.find(h, key); r != nil {\n",
		"	h := o.hash(key)\n	if r := o.cache.get(h, key); r != nil {\n		return found(recValue(r))\n	}\n	if _, r := o.open.find(h, key); r != nil {\n"},
	{"a get does not see the sealed delta", "state/overlay/overlay.go",
		"		if _, r := o.sealed.find(h, key); r != nil {\n",
		"		if _, r := o.sealed.find(h, key); false {\n"},
	{"a scan does not see the sealed delta", "state/overlay/scan.go",
		"	if o.sealed != nil {\n",
		"	if false {\n"},
	{"deletes are not committed", "state/overlay/delta.go",
		"			err = b.Delete(key)\n",
		""},
	{"an undo leaves what was overwritten", "state/overlay/delta.go",
		"	if d.journal.open {\n",
		"	if false {\n"},
	{"a scan shows what is deleted", "state/overlay/scan.go",
		"		if s.value != nil {\n			return true\n		}\n",
		"		if s.value != nil || true {\n			return true\n		}\n"},
	{"what the store has is not noted", "state/overlay/overlay.go",
		"			o.stored.add(h)\n",
		""},
	{"counts are not saved", "host/task/base.go",
		"	return []epoch.Row{{Key: epoch.CountKey(b.Number), Value: epoch.AppendCounts(nil, b.counts)}}\n",
		"	return nil\n"},
	{"faults of a source are not saved", "host/task/source.go",
		"		s.t.faults = append(s.t.faults, s.t.fault(s.index, fault))\n",
		"		s.t.fault(s.index, fault)\n"},
	{"a record without a key comes to a store", "host/task/step.go",
		"	if len(s.stores) == 0 {\n		return false\n",
		"	if true {\n		return false\n"},
	{"an aggregate is not marked as one", "host/task/batch.go",
		"		o.pos = ^o.pos\n",
		"		_ = o\n"},
	{"a sink is given the same batches again", "host/task/sink.go",
		"	s.batches, s.sealed = s.sealed[:0], s.batches\n",
		"	s.batches, s.sealed = append(s.sealed[:0], s.batches...), nil\n"},
	{"batches of a sink are free before the decision", "host/task/task.go",
		"	if !t.sealing || t.Control.Committed.Load() < t.epoch-1 {\n		return\n",
		"	if !t.sealing || t.Control.Committed.Load() < t.epoch-1 {\n		for _, s := range t.sinks {\n			if s != nil {\n				s.committed()\n			}\n		}\n		return\n"},
	{"nobody is woken when a queue is free", "host/task/gate.go",
		"	if g.full.Add(-1) == 0 {\n		g.wake()\n",
		"	if g.full.Add(-1) == 0 {\n"},
	{"an enumerator is not woken when its pool drains", "host/task/pool.go",
		"		p.finder.Wake()\n",
		""},
}

// TestPlantedBugs builds the simulation with one bug at a time and runs it.
// That it fails for another reason than a seed counts as not found.
func TestPlantedBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary a bug")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	slots := make(chan struct{}, 2) // at work at a time
	t.Run("all", func(t *testing.T) {
		for _, bug := range bugs {
			t.Run(strings.ReplaceAll(bug.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				bug.find(t, root)
			})
		}
	})
}

var failedSeed = regexp.MustCompile(`seed (\d+) failed`)

func (p planted) find(t *testing.T, root string) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "sim.test")
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", binary, "-overlay", p.overlay(t, root, dir), "./host/container")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("does not build: %v\n%s", err, out)
	}
	const seeds = 1000 // most are found within 10, nearly all within 200
	run := exec.CommandContext(ctx, binary, "-test.run", "^TestSimulation$", "-seeds", fmt.Sprint(seeds))
	run.Dir = filepath.Join(root, "host/container")
	out, err := run.CombinedOutput()
	found := failedSeed.FindSubmatch(out)
	switch {
	case err == nil:
		t.Errorf("not found in %d seeds", seeds)
	case found == nil:
		t.Errorf("%v, but no seed failed:\n%.3000s", err, out)
	default:
		t.Logf("seed %s", found[1])
	}
}

// overlay writes the file with the bug and tells the go command to take it.
func (p planted) overlay(t *testing.T, root, dir string) string {
	path := filepath.Join(root, p.file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(p.old)); n != 1 {
		t.Fatalf("%s has the text %q %d times: bring the list of bugs up to date", p.file, p.old, n)
	}
	wrong, list := filepath.Join(dir, filepath.Base(p.file)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{wrong: bytes.Replace(text, []byte(p.old), []byte(p.new), 1), list: replace} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
