// Package scaffold writes the directories of new steps: a step that builds,
// runs and has a passing test, with the SDK's sources in it, so that neither a
// registry nor a network is asked for anything.
package scaffold

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

// SDKVersion is the published version of the SDKs that belongs to this build.
const SDKVersion = "v0.1.0"

// sdkGo holds the sources of sdk-go without its tests. The test of this
// package compares it with the directory and writes it anew with -rewrite: a
// directory with a go.mod of its own cannot be embedded as it is.
//
//go:embed sdk-go.zip
var sdkGo []byte

// The files of a new step by language. A name ends in .tmpl; "gitignore"
// stands for .gitignore.
//
//go:embed all:template
var templates embed.FS

// Options are the settings of Write.
type Options struct {
	Lang      string // see Languages
	Name      string // of the step; default: from the directory's name
	Published bool   // refer to the published SDK instead of writing its sources
}

// Languages returns what Options.Lang may be.
func Languages() []string { return []string{"go"} }

// Write makes dir, which must not exist or be empty, and writes a new step
// into it. It returns the paths written, relative to dir, without those of the
// SDK. If it fails, what it wrote stays.
func Write(dir string, o Options) ([]string, error) {
	if o.Lang != "go" {
		return nil, fmt.Errorf("scaffold: no SDK for %q in this build: it has %s", o.Lang, strings.Join(Languages(), ", "))
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
	written, err := writeTemplates(dir, "template/"+o.Lang, struct {
		Options
		SDKVersion string
	}{o, SDKVersion})
	if err != nil || o.Published {
		return written, err
	}
	return written, WriteSDK(filepath.Join(dir, ".wasmill", "sdk"))
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

func writeTemplates(dir, root string, data any) (written []string, err error) {
	entries, err := fs.ReadDir(templates, root)
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	for _, e := range entries {
		text, err := fs.ReadFile(templates, path.Join(root, e.Name()))
		if err != nil {
			return written, fmt.Errorf("scaffold: %w", err)
		}
		t, err := template.New(e.Name()).Parse(string(text))
		if err != nil {
			return written, fmt.Errorf("scaffold: %w", err)
		}
		var out bytes.Buffer
		if err := t.Execute(&out, data); err != nil {
			return written, fmt.Errorf("scaffold: %w", err)
		}
		name := strings.TrimSuffix(e.Name(), ".tmpl")
		if name == "gitignore" {
			name = ".gitignore"
		}
		if err := writeFile(filepath.Join(dir, name), out.Bytes()); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}

// WriteSDK writes the sources of the Go SDK to dir.
func WriteSDK(dir string) error {
	z, err := zip.NewReader(bytes.NewReader(sdkGo), int64(len(sdkGo)))
	if err != nil {
		return fmt.Errorf("scaffold: the SDK in this binary: %w", err)
	}
	for _, f := range z.File {
		text, err := fs.ReadFile(z, f.Name)
		if err != nil {
			return fmt.Errorf("scaffold: the SDK in this binary: %w", err)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Name)), text); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("scaffold: %w", err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("scaffold: %w", err)
	}
	return nil
}
