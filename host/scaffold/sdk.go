package scaffold

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
)

// The sources of the SDKs, a zip each, without what only their developers
// need. The test of this package compares them with the directories and writes
// them anew with -rewrite: a directory with a go.mod of its own cannot be
// embedded as it is, and one with what tools leave there should not be.
//
//go:embed sdk
var sdks embed.FS

// writeSDK writes the sources of the language's SDK to dir.
func (l *language) writeSDK(dir string) error {
	fail := func(err error) error { return fmt.Errorf("scaffold: the SDK in this binary: %w", err) }
	packed, err := sdks.ReadFile("sdk/" + l.dir + ".zip")
	if err != nil {
		return fail(err)
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return fail(err)
	}
	for _, f := range z.File {
		text, err := fs.ReadFile(z, f.Name)
		if err != nil {
			return fail(err)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Name)), text); err != nil {
			return fmt.Errorf("scaffold: %w", err)
		}
	}
	return nil
}
