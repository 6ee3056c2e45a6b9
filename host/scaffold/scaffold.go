// Package scaffold writes the directories of new steps: a step that builds,
// runs and has a passing test, with the SDK's sources in it, so that neither a
// registry nor a network is asked for them.
package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SDKVersion is the published version of the SDKs that belongs to this build.
const SDKVersion = "0.1.0"

// Options are the settings of Write.
type Options struct {
	Lang      string // see Languages
	Name      string // of the step; default: from the directory's name
	Published bool   // refer to the published SDK instead of writing its sources
}

// Write makes dir, which must not exist or be empty, and writes a new step
// into it. It returns the paths written, relative to dir, without those of the
// SDK. If it fails, what it wrote stays.
func Write(dir string, o Options) ([]string, error) {
	l := find(o.Lang)
	if l == nil {
		return nil, fmt.Errorf("no SDK for %q in this build: it has %s", o.Lang, strings.Join(Languages(), ", "))
	}
	if o.Name == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("scaffold: %w", err)
		}
		o.Name = NameOf(filepath.Base(abs))
	}
	if o.Name != NameOf(o.Name) {
		return nil, fmt.Errorf("scaffold: %q is no name of a step: a name is of a-z, 0-9 and -, begins with a letter and has 63 of them at most", o.Name)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("scaffold: %s is not empty: name a directory that does not exist yet", dir)
	}
	written, err := writeTemplates(dir, "template/"+l.dir, fields{Name: o.Name, Published: o.Published, SDKVersion: SDKVersion})
	if err != nil || o.Published {
		return written, err
	}
	return written, l.writeSDK(filepath.Join(dir, ".wasmill", "sdk"))
}

// NameOf turns the name of a directory into one of a step: lower case, what
// is not allowed becomes "-".
func NameOf(base string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, base)
	if name == "" || name[0] < 'a' {
		name = strings.TrimSuffix("step-"+strings.TrimLeft(name, "-"), "-")
	}
	return name[:min(len(name), 63)]
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
