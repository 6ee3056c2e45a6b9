package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/fixture"
)

// testText is what test shows of one step: a line a fixture, and below it
// what is not as expected.
func testText(tests *host.StepTests) []byte {
	var b bytes.Buffer
	if len(tests.Fixtures) == 0 {
		fmt.Fprintf(&b, "?     %s  no fixtures\n", shown(tests.Step))
	}
	for i := range tests.Fixtures {
		f := &tests.Fixtures[i]
		verdict, note := "ok", ""
		switch {
		case !f.Passed():
			verdict = "FAIL"
		case f.Updated:
			note = "  updated"
		}
		fmt.Fprintf(&b, "%-4s  %s%s\n", verdict, shown(f.File), note)
		for _, d := range f.Differences {
			fmt.Fprintf(&b, "      %s\n", indented(d))
		}
		for _, d := range f.Again {
			fmt.Fprintf(&b, "      the second time: %s\n", indented(d))
		}
	}
	return b.Bytes()
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n      ") }

// usageText is a table of what the fixtures took.
func usageText(all []*host.StepTests) []byte {
	var b bytes.Buffer
	b.WriteByte('\n')
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "records\tcalls\tfuel/record\ttime/record\tmemory\t  fixture\n")
	for _, tests := range all {
		for i := range tests.Fixtures {
			u := &tests.Fixtures[i].Usage
			fuel := "-"
			if u.Fuel > 0 {
				fuel = count(int64(perRecord(u, float64(u.Fuel))))
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t  %s\n", count(int64(u.Records)), count(int64(u.Calls)), fuel,
				short(time.Duration(perRecord(u, float64(u.Time)))), size(int64(u.Memory)),
				name(tests.Fixtures[i].File))
		}
	}
	_ = w.Flush() // to a buffer
	return b.Bytes()
}

func perRecord(u *fixture.Usage, sum float64) float64 { return sum / float64(max(1, u.Records)) }

// short returns a time of less than seconds with three digits: 1.23 µs.
func short(d time.Duration) string {
	v, unit := float64(d), "ns"
	for _, larger := range []string{"µs", "ms", "s"} {
		if v < 1000 {
			break
		}
		v, unit = v/1000, larger
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// name is the name of a fixture: that of its file.
func name(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// fixtureReport is a fixture in the JSON form of test.
type fixtureReport struct {
	Step        string   `json:"step"`
	Language    string   `json:"language,omitempty"`
	Module      string   `json:"module"`
	Fixture     string   `json:"fixture"`
	File        string   `json:"file"`
	Passed      bool     `json:"passed"`
	Updated     bool     `json:"updated,omitempty"`
	Differences []string `json:"differences,omitempty"`
	Again       []string `json:"second_time,omitempty"`
	Records     int      `json:"records"`
	Calls       int      `json:"calls"`
	Fuel        uint64   `json:"fuel"`
	Nanoseconds int64    `json:"nanoseconds"`
	Memory      uint64   `json:"memory"`
}

// testReport is the JSON form of test: one object a fixture, with sums over
// all of its records.
func testReport(all []*host.StepTests) []fixtureReport {
	list := []fixtureReport{}
	for _, tests := range all {
		for i := range tests.Fixtures {
			f := &tests.Fixtures[i]
			list = append(list, fixtureReport{
				Step: tests.Step, Language: tests.Language, Module: tests.Digest, Fixture: name(f.File), File: f.File,
				Passed: f.Passed(), Updated: f.Updated, Differences: f.Differences, Again: f.Again,
				Records: f.Usage.Records, Calls: f.Usage.Calls, Fuel: f.Usage.Fuel, Nanoseconds: int64(f.Usage.Time), Memory: f.Usage.Memory,
			})
		}
	}
	return list
}
