package file

import (
	"errors"
	"fmt"
	"time"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/out"
	"github.com/wasmill/wasmill/plugins/file/internal/walk"
)

func walkFields() []plugins.Field {
	return []plugins.Field{
		{Name: "root", Type: plugins.Path, Required: true, Doc: "Directory to walk, or a single file."},
		{Name: "include", Type: plugins.Strings, Check: walk.CheckGlobs,
			Doc: "Globs of the paths to read, relative to root, such as **/*.go; default everything."},
		{Name: "exclude", Type: plugins.Strings, Check: walk.CheckGlobs,
			Doc: "Globs of the paths to leave out; a directory that matches is not entered. Default none."},
		{Name: "records", Type: plugins.String, Default: "lines", Enum: walk.RecordsNames,
			Doc: "What a record is: a line (default), a line of JSON, a row of CSV, a whole file, or an entry of a directory."},
		{Name: "compression", Type: plugins.String, Default: "auto", Enum: []string{"none", "auto"},
			Doc: "auto (default) reads gzip and zstd files decompressed, known by their first bytes; none reads all files as they are."},
		{Name: "follow", Type: plugins.Bool, Default: false, Check: checkFollow,
			Doc: "Whether symbolic links are followed; only false (default) in this build."},
		{Name: "split", Type: plugins.Size, Default: int64(walk.DefaultSplit), Check: positive,
			Doc: "Bytes in which a big file of lines is read in parallel; default 32MiB."},
	}
}

func fileFields() []plugins.Field {
	return []plugins.Field{
		{Name: "path", Type: plugins.Path, Required: true, Doc: "Directory for the files; it is made if it is missing."},
		{Name: "format", Type: plugins.String, Default: "jsonl", Enum: out.FormatNames,
			Doc: "How records are written: lines of JSON (default), lines of the bare value, or CSV with a header row."},
		{Name: "partition_by", Type: plugins.String, Check: out.CheckPointer,
			Doc: "JSON Pointer into the value, such as /country: one directory for each value that it finds. Default none."},
		{Name: "roll", Type: plugins.Object, Doc: "When a file is finished and takes its name; without it one file a task is appended to.",
			Fields: []plugins.Field{
				{Name: "size", Type: plugins.Size, Check: positive, Doc: "Bytes from which on a file is finished; default none."},
				{Name: "every", Type: plugins.Duration, Check: positive, Doc: "Age from which on a file is finished; default none."},
			}},
	}
}

func checkFollow(v any) error {
	if follow, _ := v.(bool); follow {
		return errors.New("following symbolic links is not in this build yet: leave follow out")
	}
	return nil
}

func positive(v any) error {
	switch n := v.(type) {
	case int64:
		if n <= 0 {
			return fmt.Errorf("must be greater than 0, not %d", n)
		}
	case time.Duration:
		if n <= 0 {
			return fmt.Errorf("must be greater than 0, not %s", n)
		}
	}
	return nil
}
