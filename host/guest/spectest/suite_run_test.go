package spectest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// versions of the suite, and what is in them: every count is exact, so that
// nothing is left out unseen.
var versions = []struct {
	name       string
	features   api.CoreFeatures
	modules    int
	assertions map[string]int // in binary form
	skipped    map[string]int // by the reason
}{
	{"v1", api.CoreFeaturesV1, 780, map[string]int{
		"assert_return": 15788, "assert_trap": 458, "assert_exhaustion": 15, "assert_invalid": 989,
		"assert_malformed": 661, "assert_unlinkable": 95, "assert_uninstantiable": 2,
	}, map[string]int{skipText: 430}},
	{"v2", api.CoreFeaturesV2, 1599, map[string]int{
		"assert_return": 45734, "assert_trap": 2408, "assert_exhaustion": 15, "assert_invalid": 2146,
		"assert_malformed": 719, "assert_unlinkable": 83, "assert_uninstantiable": 19,
	}, map[string]int{skipText: 1091, skipTable: 15}},
}

// TestSuite_HoldsUnchanged shows that the runner itself is right: without a
// rewriter every assertion of the suite holds.
func TestSuite_HoldsUnchanged(t *testing.T) {
	if testing.Short() {
		t.Skip("the rewritten modules are what counts")
	}
	runVersions(t, original, nil)
}

// TestSuite_HoldsRewritten is the proof: every assertion of the suite holds
// for the rewritten modules, in each form.
func TestSuite_HoldsRewritten(t *testing.T) {
	for _, f := range forms {
		if testing.Short() && f.name != "fast" {
			continue
		}
		t.Run(f.name, func(t *testing.T) { runVersions(t, f, nil) })
	}
}

func runVersions(t *testing.T, f form, seen *coverage) {
	t.Helper()
	for _, v := range versions {
		c := runSuite(t, v.name, v.features, f, seen)
		t.Logf("%s %s: %d modules, %d of them run; %d assertions hold: %v", v.name, f.name, c.modules, c.rewritten(), sum(c.assertions), c.assertions)
		for _, why := range slices.Sorted(maps.Keys(c.skipped)) {
			t.Logf("%s %s: %d skipped: %s", v.name, f.name, c.skipped[why], why)
		}
		for _, what := range slices.Sorted(maps.Keys(c.refused)) {
			t.Logf("%s %s: %d not rewritten: %s", v.name, f.name, c.refused[what], what)
		}
		if c.modules != v.modules {
			t.Errorf("%s: %d modules, want %d", v.name, c.modules, v.modules)
		}
		if !maps.Equal(c.assertions, v.assertions) {
			t.Errorf("%s: assertions that hold: %v, want %v", v.name, c.assertions, v.assertions)
		}
		if !maps.Equal(c.skipped, v.skipped) {
			t.Errorf("%s: skipped: %v, want %v", v.name, c.skipped, v.skipped)
		}
		if c.rewritten() != c.modules {
			t.Errorf("%s: %d of %d modules are rewritten, want all", v.name, c.rewritten(), c.modules)
		}
	}
}

// TestSuite_LimitsRefuseOneModule shows how much of the suite the default
// limits of admission let through: all but, at most, the module with the
// largest br_table.
func TestSuite_LimitsRefuseOneModule(t *testing.T) {
	for _, v := range versions {
		refused, modules := map[string]int{}, 0
		for _, file := range suiteFiles(t, v.name) {
			for _, c := range commands(t, file) {
				if c.Type != "module" {
					continue
				}
				b, err := os.ReadFile(filepath.Join(filepath.Dir(file), c.Filename))
				if err != nil {
					t.Fatal(err)
				}
				modules++
				if _, err := admit.Read(b, admit.Limits{}); err != nil {
					t.Log(filepath.Base(file), err)
					refused[filepath.Base(file)]++
				}
			}
		}
		if modules != v.modules || sum(refused) > 1 || sum(refused) != refused["br_table.json"] {
			t.Errorf("%s: of %d modules, %v are refused, want at most one of br_table.json, of %d", v.name, modules, refused, v.modules)
		}
	}
}

// TestCorpus_RunsEveryInstruction shows that the suite and the generated
// modules together run every instruction that is accepted.
func TestCorpus_RunsEveryInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the suite once more, with listeners")
	}
	seen := newCoverage()
	runVersions(t, original, seen)
	suite := len(seen.ops)
	d := newDuel(t)
	for seed := range uint64(100) {
		if err := d.original.watch(seed, seen); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	var missing []string
	for _, o := range wasm.Ops() {
		if !seen.ops[o] {
			missing = append(missing, fmt.Sprintf("%#x", uint32(o)))
		}
	}
	t.Logf("%d instructions are accepted; the suite runs %d, with the generated modules %d", len(wasm.Ops()), suite, len(seen.ops))
	if len(missing) > 0 {
		t.Errorf("instructions that nothing is known to run: %v", missing)
	}
}
