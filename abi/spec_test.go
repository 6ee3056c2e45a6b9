package abi_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
)

// table returns the rows of the first table behind the line head of SPEC.md.
func table(t *testing.T, head string) [][]string {
	t.Helper()
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n"+head+"\n")
	if !ok {
		t.Fatalf("SPEC.md has no line %q", head)
	}
	var rows [][]string
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows[1:] // without the line of dashes
}

// types cuts the names off a cell of parameters: "`a i32, b i64`" is "i32 i64".
func types(cell string) string {
	return strings.Join(regexp.MustCompile(`\bi(32|64)\b`).FindAllString(cell, -1), " ")
}

func TestSpec_Imports(t *testing.T) {
	rows := table(t, "| import | parameters | result | 1.1 |")
	if len(rows) != len(abi.Imports) {
		t.Fatalf("SPEC.md has %d imports, the list %d", len(rows), len(abi.Imports))
	}
	for i, row := range rows {
		served := map[string]bool{"yes": true, "ENOSYS": false}
		got := abi.Import{Name: strings.Trim(row[0], "`"), Params: types(row[1]), Results: types(row[2]), Implemented: served[row[3]]}
		if got != abi.Imports[i] {
			t.Errorf("row %d of SPEC.md is %+v, the list has %+v", i+1, got, abi.Imports[i])
		}
	}
}

func TestSpec_Parity(t *testing.T) {
	text, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	head := string(regexp.MustCompile(`(?m)^\| host function \|.*$`).Find(text))
	rows := table(t, head)
	sdks := strings.Split(strings.Trim(head, "| "), " | ")
	sdks = sdks[1 : len(sdks)-2]
	errnos := errorNumbers(t)
	for i, f := range abi.Imports {
		if i >= len(rows) || strings.Trim(rows[i][0], "`") != f.Name {
			t.Fatalf("row %d of the table of SDKs is not %s", i+1, f.Name)
		}
		row := rows[i]
		if len(row) != len(sdks)+3 {
			t.Fatalf("%s has %d cells, the head %d", f.Name, len(row), len(sdks)+3)
		}
		for n, sdk := range sdks {
			if f.Implemented == (row[n+1] == "not yet") {
				t.Errorf("%s: implemented %v, in %s %q", f.Name, f.Implemented, sdk, row[n+1])
			}
		}
		errors, vector := row[len(row)-2], row[len(row)-1]
		if !f.Implemented && errors != "ENOSYS" {
			t.Errorf("%s answers ENOSYS, the table says %q", f.Name, errors)
		}
		for _, name := range strings.Split(errors, ", ") {
			if _, ok := errnos[name]; !ok && name != "–" {
				t.Errorf("%s: unknown error number %q", f.Name, name)
			}
		}
		for _, file := range regexp.MustCompile("`([a-z.]+)`").FindAllStringSubmatch(vector, -1) {
			if _, err := os.Stat("testdata/" + file[1]); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
	if len(rows) != len(abi.Imports) {
		t.Errorf("the table of SDKs has %d rows, the list of imports %d", len(rows), len(abi.Imports))
	}
}

func errorNumbers(t *testing.T) map[string]abi.Errno {
	t.Helper()
	all := map[string]abi.Errno{}
	for _, row := range table(t, "| number | name | |") {
		n, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		all[row[1]] = abi.Errno(n)
	}
	return all
}

func TestSpec_ErrorNumbers(t *testing.T) {
	all := errorNumbers(t)
	for name, e := range all {
		if e.String() != name {
			t.Errorf("%d is %s in SPEC.md, %s in the package", e, name, e)
		}
	}
	known := []abi.Errno{
		abi.EPERM, abi.ENOENT, abi.EIO, abi.E2BIG, abi.EBADF, abi.EAGAIN, abi.ENOMEM, abi.EFAULT,
		abi.EINVAL, abi.ENOSPC, abi.ENOSYS, abi.ENOTSUP,
	}
	if got := slices.Sorted(maps.Values(all)); !slices.Equal(got, known) {
		t.Errorf("SPEC.md has %v, the package %v", got, known)
	}
	if got := abi.EBADF.Status(); got != -9 {
		t.Errorf("EBADF crosses the border as %d", got)
	}
	if got := abi.Errno(1234).Error(); got != "E1234" {
		t.Errorf("an unknown number is %q", got)
	}
}

func TestSpec_Ops(t *testing.T) {
	rows := table(t, "| op | name | payload | status 1 allowed | |")
	for i, op := range []abi.Op{abi.OpBatch, abi.OpTimers, abi.OpEnd, abi.OpResumed} {
		if rows[i][0] != strconv.Itoa(int(op)) || rows[i][1] != op.String() {
			t.Errorf("row %d is %v, want %d %s", i, rows[i], op, op)
		}
	}
	if got := abi.Op(99).String(); got != "unknown" {
		t.Errorf("op 99 is %q", got)
	}
}

func TestFindImport(t *testing.T) {
	if f, ok := abi.FindImport("metric_add"); !ok || f.Params != "i32 i64" {
		t.Errorf("metric_add is %+v, %v", f, ok)
	}
	if f, ok := abi.FindImport("metric"); ok {
		t.Errorf("metric is %+v", f)
	}
}
