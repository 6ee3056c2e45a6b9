package archtest_test

import (
	"fmt"
	"strings"
	"testing"
)

// home says where a module of somebody else may be imported, tests included.
type home struct {
	module string
	under  []string
	tests  bool // in tests alone
	why    string
}

var homes = []home{
	{"github.com/tetratelabs/wazero", []string{"host/guest/...", "bench/guests"}, false,
		"guests run behind one small interface, so that the engine can change; what metering costs is measured on the engine itself"},
	{"github.com/cockroachdb/pebble/v2", []string{"state/pebblestore/..."}, false,
		"everything else knows a store by its contract"},
	{"github.com/hashicorp/go-plugin", []string{"host/tenant"}, false,
		"only tenants have processes of their own"},
	{"github.com/hashicorp/go-hclog", []string{"host/tenant"}, false,
		"go-plugin wants to be told that it should not log"},
	{"gopkg.in/yaml.v3", []string{"host/jobspec/...", "host/fixture"}, false,
		"a job file is read in one place, and fixtures in another"},
	{"github.com/klauspost/compress", []string{"plugins/file/..."}, false,
		"compression belongs to the connector that reads compressed files"},
	{"github.com/bmatcuk/doublestar/v4", []string{"plugins/file/..."}, false,
		"globs belong to the walk source"},
	{"github.com/evanw/esbuild", []string{"host/guest/build"}, false,
		"steps in JavaScript are bundled where they are built"},
	{"github.com/cespare/xxhash/v2", []string{"host/guest/compile", "host/guest/image"}, false,
		"machine code and images are looked at for damage each time that they are loaded"},
	{"github.com/ianlancetaylor/demangle", []string{"host/guest"}, false,
		"functions of guests are named as their sources name them"},
	{"github.com/spf13/cobra", []string{"cmd/wasmill"}, false,
		"flags belong to the binary"},
	{"github.com/fsnotify/fsnotify", []string{"cmd/wasmill"}, false,
		"only wasmill dev waits for files to change"},
	{"golang.org/x/term", []string{"cmd/wasmill"}, false,
		"only the binary has a terminal"},
	{"golang.org/x/sys", []string{"cmd/wasmill", "host/guest/...", "host/tenant", "host/task", "plugins/file/...", "traversal/...", "state/pebblestore"}, false,
		"these talk to the kernel: memory, directories, locks, terminals"},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"host/jobspec/...", "cmd/wasmill", "docs"}, true,
		"the schema is checked by somebody else's reading of the standard"},
}

// strangers returns what is wrong with the imports of other modules.
func strangers(all []goPackage) (faults []string) {
	for _, p := range all {
		check := func(imports []string, inTest bool) {
			for _, imp := range imports {
				if _, own := ours(imp); own || standard(imp) || imp == module {
					continue
				}
				if why := stranger(p.name(), imp, inTest); why != "" {
					faults = append(faults, fmt.Sprintf("%s imports %s: %s", p.name(), imp, why))
				}
			}
		}
		check(p.Imports, false)
		check(p.tests(), true)
	}
	return faults
}

// stranger returns why a package may not import path, "" if it may.
func stranger(name, path string, inTest bool) string {
	for _, h := range homes {
		if path != h.module && !strings.HasPrefix(path, h.module+"/") {
			continue
		}
		if !matchesAny(h.under, name) {
			return fmt.Sprintf("it belongs under [%s], since %s", strings.Join(h.under, " "), h.why)
		}
		if h.tests && !inTest {
			return "it belongs in tests, since " + h.why
		}
		return ""
	}
	return "no rule knows that module: say in archtest where it belongs, and why"
}

func TestHomes_Hold(t *testing.T) {
	for _, f := range strangers(list(t)) {
		t.Error(f)
	}
}

func TestHomes_ReportWhatBreaksThem(t *testing.T) {
	tests := []struct {
		from, path string
		inTest     bool
		want       string
	}{
		{"host/task", "github.com/tetratelabs/wazero/api", false, "it belongs under [host/guest/... bench/guests]"},
		{"host/task", "github.com/tetratelabs/wazero", true, "it belongs under [host/guest/... bench/guests]"},
		{"state/overlay", "github.com/cockroachdb/pebble/v2/vfs", true, "it belongs under [state/pebblestore/...]"},
		{"host", "github.com/spf13/cobra", false, "it belongs under [cmd/wasmill]"},
		{"abi/wire", "golang.org/x/sys/unix", false, "it belongs under"},
		{"host/jobspec", "github.com/santhosh-tekuri/jsonschema/v6", false, "it belongs in tests"},
		{"host/jobspec", "github.com/santhosh-tekuri/jsonschema/v6", true, ""},
		{"plugins/file", "github.com/klauspost/compressor", false, "no rule knows"},
		{"host/guest", "github.com/tetratelabs/wazero/api", false, ""},
	}
	for _, tt := range tests {
		p := goPackage{ImportPath: module + "/" + tt.from}
		if tt.inTest {
			p.XTestImports = []string{tt.path}
		} else {
			p.Imports = []string{tt.path, "fmt", module + "/abi"}
		}
		got := strangers([]goPackage{p})
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s → %s: refused: %q", tt.from, tt.path, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s → %s: got %q, want one fault with %q", tt.from, tt.path, got, tt.want)
		}
	}
}
