package guest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The cases that CASES.md has to tell of.
var wantCases = []int{
	1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 17, 18, 19, 20, 21, 22, 24, 25, 26, 28, 29, 30, 31, 32, 33, 34, 36, 37, 39, 40,
	41, 42, 44, 45, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
}

var proof = regexp.MustCompile("`([^`]+)`")

// missing returns what is wrong with a proof: a test, as its directory and
// name, or a script.
func missing(root, p string) string {
	dir, name, isTest := strings.Cut(p, ".")
	if !isTest || strings.HasPrefix(dir, "scripts/") {
		if _, err := os.Stat(filepath.Join(root, p)); err != nil {
			return "there is no such file"
		}
		return ""
	}
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		return "there are no tests in " + dir
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err.Error()
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return ""
		}
	}
	return "there is no such test"
}

// tableFaults returns what is wrong with a table of cases.
func tableFaults(root, text string) (faults []string) {
	var have []int
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 {
			continue
		}
		number, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil { // a head
			continue
		}
		have = append(have, number)
		proofs := proof.FindAllStringSubmatch(cells[4], -1)
		if len(proofs) == 0 {
			faults = append(faults, fmt.Sprintf("case %d has no proof", number))
		}
		for _, p := range proofs {
			if what := missing(root, p[1]); what != "" {
				faults = append(faults, fmt.Sprintf("case %d, %s: %s", number, p[1], what))
			}
		}
	}
	if !slices.Equal(have, wantCases) {
		faults = append(faults, fmt.Sprintf("the cases are %v, want %v", have, wantCases))
	}
	return faults
}

func TestCases_HaveProofs(t *testing.T) {
	text, err := os.ReadFile("CASES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tableFaults("../..", string(text)) {
		t.Error(f)
	}
	// It would notice.
	for _, change := range [][2]string{
		{"TestSandbox_AGuestThatLeaksIsReplaced", "TestSandbox_NoSuchTest"},
		{"`scripts/arm64.sh`", "`scripts/no.sh`"},
		{"`host/guest/wasi.TestClock_EndsASpinOfASecond`", "none"},
		{"\n| 53 |", "\n| 52 |"},
	} {
		if !strings.Contains(string(text), change[0]) || len(tableFaults("../..", strings.Replace(string(text), change[0], change[1], 1))) == 0 {
			t.Errorf("%q instead of %q goes unnoticed", change[1], change[0])
		}
	}
}
