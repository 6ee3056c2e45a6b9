// Package file holds the connectors of the local file system: the source
// `walk`, which reads the files of a tree, and the sinks `file` and `stdout`.
package file

import (
	"io"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/out"
	"github.com/wasmill/wasmill/plugins/file/internal/stdout"
	"github.com/wasmill/wasmill/plugins/file/internal/walk"
)

// Register adds the connectors to reg. The sink `stdout` prints to w.
func Register(reg *plugins.Registry, w io.Writer) {
	reg.Source(plugins.SourceKind{
		Name:   "walk",
		Doc:    "The regular files below a directory, hidden and binary ones too, read in parallel.",
		Fields: walkFields(),
		New: func(env plugins.Env, c plugins.Config) (plugins.Source, error) {
			return walk.New(env, walk.FromConfig(c)), nil
		},
	})
	reg.Sink(plugins.SinkKind{
		Name:     "file",
		Doc:      "Files in a directory, exactly once: one file a task, or files that roll.",
		Fields:   fileFields(),
		Delivery: plugins.TwoPhase,
		New: func(_ plugins.Env, c plugins.Config) (plugins.Sink, error) {
			return out.New(out.FromConfig(c)), nil
		},
	})
	reg.Sink(plugins.SinkKind{
		Name: "stdout",
		Doc:  "Standard output, after each commit; a crash may print the last epoch again.",
		Fields: []plugins.Field{
			{Name: "format", Type: plugins.String, Doc: "How a record is printed: its value and a line end (default), or a line of JSON.", Default: "lines", Enum: stdout.FormatNames},
		},
		Delivery: plugins.Replay,
		New: func(_ plugins.Env, c plugins.Config) (plugins.Sink, error) {
			return stdout.New(c, w), nil
		},
	})
}
