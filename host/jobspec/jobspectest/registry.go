// Package jobspectest has connectors for the tests of packages that read job
// files: the keys are those of the real ones, there is nothing behind them.
package jobspectest

import (
	"errors"
	"strings"
	"time"

	"github.com/wasmill/wasmill/plugins"
)

// Registry returns the kinds walk, file and stdout.
func Registry() *plugins.Registry {
	reg := &plugins.Registry{}
	reg.Source(plugins.SourceKind{Name: "walk", Doc: "A tree of files.", Fields: []plugins.Field{
		{Name: "root", Type: plugins.Path, Required: true, Doc: "Directory to walk."},
		{Name: "include", Type: plugins.Strings, Doc: "Globs of files to read; by default all.", Check: globs},
		{Name: "exclude", Type: plugins.Strings, Doc: "Globs of files to leave out.", Check: globs},
		{Name: "records", Type: plugins.String, Default: "lines", Enum: []string{"lines", "jsonl", "csv", "whole", "entries"}, Doc: "What a record is."},
		{Name: "compression", Type: plugins.String, Default: "auto", Enum: []string{"none", "auto"}, Doc: "Whether compressed files are recognised."},
		{Name: "follow", Type: plugins.Bool, Default: false, Doc: "Whether symbolic links are followed.", Check: noFollow},
		{Name: "split", Type: plugins.Size, Default: int64(32 << 20), Doc: "Bytes after which a big file is divided."},
	}})
	format := plugins.Field{Name: "format", Type: plugins.String, Default: "jsonl", Enum: []string{"jsonl", "lines", "csv"}, Doc: "How a record is written."}
	reg.Sink(plugins.SinkKind{Name: "file", Doc: "Files in a directory.", Delivery: plugins.TwoPhase, Fields: []plugins.Field{
		{Name: "path", Type: plugins.Path, Required: true, Doc: "Directory of the files."},
		format,
		{Name: "partition_by", Type: plugins.String, Doc: "JSON Pointer to what names a directory."},
		{Name: "roll", Type: plugins.Object, Doc: "When a file ends and the next begins.", Fields: []plugins.Field{
			{Name: "size", Type: plugins.Size, Doc: "Bytes of a file."},
			{Name: "every", Type: plugins.Duration, Default: time.Hour, Doc: "Age of a file."},
		}},
	}})
	reg.Sink(plugins.SinkKind{Name: "stdout", Doc: "Standard output.", Delivery: plugins.Replay, Fields: []plugins.Field{
		{Name: "format", Type: plugins.String, Default: "lines", Enum: []string{"jsonl", "lines"}, Doc: "How a record is written."},
		{Name: "buffer", Type: plugins.Int, Doc: "Records held back."},
	}})
	return reg
}

// globs refuses a glob with an open bracket, as the real check would.
func globs(v any) error {
	for _, g := range v.([]string) {
		if strings.Count(g, "[") != strings.Count(g, "]") {
			return errors.New("a [ without ] in " + g)
		}
	}
	return nil
}

func noFollow(v any) error {
	if v.(bool) {
		return errors.New("following links is not in this build yet")
	}
	return nil
}
