package host

import (
	"context"
	"path/filepath"
	"time"

	"github.com/wasmill/wasmill/host/guest/build"
)

// Built is a step that was read or built, and what is to be known of it.
type Built struct {
	*Inspection
	Step      []byte        // a module or an archive
	Ext       string        // that a file of it takes: ".wasm" or ".wasmill"
	Language  string        // of the directory, "" for a file
	BuildTime time.Duration // to build it, next to nothing if it was kept
	CheckTime time.Duration // to see whether it would run
}

// Build reads or builds the step that path names and inspects it, as Inspect
// does. That it is refused is no error; the error says why there is none.
func Build(ctx context.Context, path string, o InspectOptions) (*Built, error) {
	builds := "" // in the user's cache directory
	if dir := o.CacheDir; dir != "" {
		builds = filepath.Join(dir, "builds")
	}
	began := time.Now()
	s, err := build.Build(ctx, path, build.Options{CacheDir: builds, Building: o.Building, Reads: o.Reads})
	if err != nil {
		return nil, err
	}
	built := time.Now()
	in, err := inspect(ctx, path, s.Bytes, s.Digest, o)
	if err != nil {
		return nil, err
	}
	return &Built{
		Inspection: in, Step: s.Bytes, Ext: s.Ext, Language: s.Language,
		BuildTime: built.Sub(began), CheckTime: time.Since(built),
	}, nil
}
