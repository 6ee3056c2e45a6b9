// Package walk is the source that walks a file tree and reads its files.
package walk

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
)

// Records says what the records of a tree are.
type Records uint8

// The ways to make records: the formats of package read, and Entries, in
// which a record describes an entry of a directory and no file is opened.
const (
	Lines Records = iota
	JSONL
	CSV
	Whole
	Entries
)

// RecordsNames are the names of Records in a job file, by value.
var RecordsNames = []string{"lines", "jsonl", "csv", "whole", "entries"}

func (r Records) format() read.Format {
	return [...]read.Format{read.Lines, read.JSONL, read.CSV, read.Whole}[r]
}

// Options of a walk source.
type Options struct {
	Root    string   // absolute, or relative to the working directory
	Include []string // globs on the path relative to Root; none = everything
	Exclude []string // globs; a directory that matches is not entered
	Records Records
	Auto    bool  // recognise compressed files
	Split   int64 // bytes of a split of a big file, default DefaultSplit
	Page    int   // entries of a directory handled in one step, default traversal.DefaultPage
	Workers int   // default as traversal.Options
}

// DefaultSplit is the size of a split unless the job says otherwise.
const DefaultSplit = 32 << 20

// FromConfig makes options of checked fields.
func FromConfig(c plugins.Config) Options {
	o := Options{
		Root:    c.String("root"),
		Include: c.Strings("include"),
		Exclude: c.Strings("exclude"),
		Auto:    c.String("compression") != "none",
		Split:   c.Int("split"),
	}
	for i, name := range RecordsNames {
		if name == c.String("records") {
			o.Records = Records(i)
		}
	}
	return o
}

// CheckGlobs is the check of a field of globs.
func CheckGlobs(v any) error {
	globs, _ := v.([]string)
	for _, g := range globs {
		switch {
		case g == "":
			return fmt.Errorf("an empty glob matches nothing")
		case strings.HasPrefix(g, "/"), strings.HasPrefix(g, "./"), strings.HasPrefix(g, "../"):
			return fmt.Errorf("glob %q would match nothing: globs are relative to root, such as **/*.go", g)
		case !doublestar.ValidatePattern(g):
			return fmt.Errorf("glob %q is not well formed: a [ or { is not closed, or a \\ ends it", g)
		}
	}
	return nil
}
