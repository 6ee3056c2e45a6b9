package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/plan"
)

const identityJob = `
job: j
sources: {docs: {walk: {root: tree}, tasks: 2}}
steps:
  parse: {from: docs, wasm: m.wasm, config: {min: 1}}
  count: {from: parse, key: /id, wasm: m.wasm, stores: {s: }}
sinks:
  out: {from: count, file: {path: out}}
  bad: {file: {path: bad}}
on_error: {record: {dead_letter: bad}, module: restart}
epoch: 100ms
limits: {memory: 64MiB}
`

func TestChanges_NameWhatStateDependsOn(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"epoch: 100ms", "epoch: 5s", ""},
		{"memory: 64MiB", "memory: 1GiB", ""},
		{"module: restart", "module: fail", ""},
		{"epoch: 100ms", "state_dir: elsewhere", ""},
		{"stores: {s: }}", "stores: {s: }, on_error: {record: {dead_letter: bad}}}", ""},
		{"job: j", "job: k", "job was j, is now k"},
		{"root: tree", "root: tree, records: csv", "sources.docs.walk.records was lines, is now csv"},
		{"root: tree", "root: tree, include: '*.go'", `sources.docs.walk.include is new: ["*.go"]`},
		{"tasks: 2", "tasks: 3", "sinks.bad.writers was docs 0-1, count 2-5, is now docs 0-2, count 3-6; sources.docs.tasks was 2, is now 3"},
		{"min: 1", "min: 2", `steps.parse.config was {"min":1}, is now {"min":2}`},
		{", config: {min: 1}", "", `steps.parse.config is gone: it was {"min":1}`},
		{"key: /id", "key: true", `steps.count.key was "/id", is now true`},
		{"stores: {s: }", "stores: {t: }", "steps.count.stores.s is gone: it was store 0; steps.count.stores.t is new: store 0"},
		{"stores: {s: }", "stores: {s: }, partitions: 9, tasks: 4", "steps.count.partitions was 4, is now 9"},
		{"epoch: 100ms", "guarantee: at_least_once", "guarantee was exactly_once, is now at_least_once"},
		{"file: {path: out}", "stdout: ", "sinks.out was file, is now stdout; sinks.out.file.format is gone: it was jsonl; " +
			"sinks.out.file.path is gone: it was $DIR/out; sinks.out.stdout.format is new: lines"},
	} {
		if !strings.Contains(identityJob, c.old) {
			t.Fatalf("the job has no %q", c.old)
		}
		old, now := parse(t, identityJob), parse(t, strings.Replace(identityJob, c.old, c.now, 1))
		if got := text(plan.Changes(old.Identity(digests(old)), now.Identity(digests(now))), old.Spec.Dir); got != c.want {
			t.Errorf("%s to %s:\n got %s\nwant %s", c.old, c.now, got, c.want)
		}
	}
}

func TestChanges_NameModules(t *testing.T) {
	p := parse(t, identityJob)
	d := digests(p)
	old := p.Identity(d)
	d["count"] = "sha256:other"
	want := "steps.count.wasm was sha256:count, is now sha256:other"
	if got := text(plan.Changes(old, p.Identity(d)), ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func text(changes []plan.Change, dir string) string {
	var all []string
	for _, c := range changes {
		all = append(all, fmt.Sprint(c))
	}
	s := strings.Join(all, "; ")
	if dir != "" {
		s = strings.ReplaceAll(s, dir, "$DIR")
	}
	return s
}
