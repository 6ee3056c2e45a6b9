package archtest_test

import (
	"fmt"
	"strings"
	"testing"
)

// arrow says which packages of this module a package may import, its tests
// aside. The rule with the longest pattern counts. A package without a rule
// is a fault: whoever adds one decides where it stands.
type arrow struct {
	of  string
	may []string
	why string
}

var arrows = []arrow{
	{"cmd/wasmill", []string{"host", "host/container", "host/epoch", "host/fixture", "host/guest/compile", "host/jobspec", "host/plan", "host/scaffold", "host/tenant", "plugins", "plugins/file"},
		"the binary drives the façade and what its options and results are made of; it knows a connector only to register it, and is the child that compiles"},
	{"host", []string{"host/...", "plugins", "state", "state/pebblestore", "abi"},
		"the façade puts the parts together, and it alone chooses the store"},
	{"host/jobspec/...", []string{"plugins", "abi", "host/jobspec/..."},
		"a job file is read without anything that runs"},
	{"host/plan", []string{"host/jobspec", "plugins"},
		"a plan is computed from a spec alone"},
	{"host/guest/...", []string{"host/guest/...", "abi/..."},
		"guests know batches and calls, neither tasks nor stores"},
	{"host/epoch", []string{"host/plan", "plugins", "state", "state/overlay", "abi/..."},
		"commit and recovery know deltas and the store, not the tasks that made them"},
	{"host/task", []string{"host/epoch", "host/guest", "host/jobspec", "host/plan", "plugins", "state", "state/overlay", "abi/..."},
		"a task does not know the container that runs it"},
	{"host/container", []string{"host/task", "host/epoch", "host/guest", "host/jobspec", "host/plan", "plugins", "state", "state/overlay", "abi/..."},
		"a container gets its store and its connectors, it does not choose them"},
	{"host/tenant", []string{"host", "host/container", "host/epoch", "host/jobspec", "host/plan", "plugins"},
		"a supervisor knows a job as the binary does: from outside"},
	{"host/fixture", []string{"host/container", "host/epoch", "host/guest", "host/jobspec", "host/plan", "host/task", "plugins", "state", "state/memstore", "abi/..."},
		"a fixture is a job of one step, with a source, sinks and a store in memory"},
	{"host/scaffold", nil,
		"a new step is text: no part of the engine"},
	{"host/internal/archtest", nil,
		"the rules depend on nothing that they judge"},
	{"plugins/...", []string{"plugins", "abi/...", "traversal/..."},
		"a connector could live in another repository"},
	{"plugins/file/...", []string{"plugins", "plugins/file/...", "abi/...", "traversal/..."},
		"a connector has parts of its own"},
	{"state", []string{"abi/record"},
		"the contract of a store says nothing of the engine"},
	{"state/...", []string{"state", "abi/record"},
		"a store does not know who writes to it"},
	{"traversal/...", []string{"traversal/..."},
		"a walk is usable without the rest"},
	{"abi/...", []string{"abi/..."},
		"the border depends on neither side"},
	{"conformance", nil, "what every SDK has to do is told in tests alone"},
	{"docs", nil, "pages have tests alone"},
	{"examples/...", nil, "examples are jobs, whose steps are modules of their own; here are their tests alone"},
	{"bench/...", nil, "benchmarks are tests; what they compare with and what draws their results stand alone"},
}

// rule returns the arrow of a package, nil if there is none.
func rule(name string) *arrow {
	var best *arrow
	for i := range arrows {
		if r := &arrows[i]; matches(r.of, name) && (best == nil || len(r.of) > len(best.of)) {
			best = r
		}
	}
	return best
}

// brokenArrows returns what is wrong with the imports of packages.
func brokenArrows(all []goPackage) (faults []string) {
	for _, p := range all {
		r := rule(p.name())
		if r == nil {
			faults = append(faults, fmt.Sprintf("%s has no rule: say in archtest what it may import, and why", p.name()))
			continue
		}
		for _, imp := range p.Imports {
			if name, ok := ours(imp); ok && !matchesAny(r.may, name) {
				faults = append(faults, fmt.Sprintf("%s imports %s: it may import [%s], since %s", p.name(), name, strings.Join(r.may, " "), r.why))
			}
		}
	}
	return faults
}

func TestArrows_Hold(t *testing.T) {
	for _, f := range brokenArrows(list(t)) {
		t.Error(f)
	}
}

func TestArrows_ReportWhatBreaksThem(t *testing.T) {
	tests := []struct{ from, to, want string }{
		{"host/task", "host/container", "host/task imports host/container"},
		{"plugins/file", "host/guest", "plugins/file imports host/guest"},
		{"plugins/file/internal/out", "state", "plugins/file/internal/out imports state"},
		{"plugins", "plugins/file", "plugins imports plugins/file"},
		{"state/overlay", "state/pebblestore", "state/overlay imports state/pebblestore"},
		{"abi/wire", "host/task", "abi/wire imports host/task"},
		{"traversal/localfs", "abi/record", "traversal/localfs imports abi/record"},
		{"cmd/wasmill", "host/task", "cmd/wasmill imports host/task"},
		{"cmd/wasmill", "state", "cmd/wasmill imports state"},
		{"surprise", "abi", "surprise has no rule"},
		{"cmd/wasmill", "host/jobspec", ""},
		{"abi/wire", "abi/record", ""},
	}
	for _, tt := range tests {
		got := brokenArrows([]goPackage{{ImportPath: module + "/" + tt.from, Imports: []string{"fmt", module + "/" + tt.to}}})
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s → %s: refused: %q", tt.from, tt.to, got)
		case tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)):
			t.Errorf("%s → %s: got %q, want one fault that begins with %q", tt.from, tt.to, got, tt.want)
		}
	}
}
