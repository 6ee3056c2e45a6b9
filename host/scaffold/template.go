package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

// The files of a new step by language. A name ends in .tmpl; "gitignore"
// stands for .gitignore.
//
//go:embed all:template
var templates embed.FS

// fields are what a template may use.
type fields struct {
	Name       string // of the step
	Published  bool   // the SDK is not in .wasmill/sdk but on the language's registry
	SDKVersion string // "0.1.0"
}

// writeTemplates writes the files of the templates below root to dir and
// returns their paths, relative to dir.
func writeTemplates(dir, root string, data fields) (written []string, err error) {
	err = fs.WalkDir(templates, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(templates, name)
		if err != nil {
			return err
		}
		t, err := template.New(name).Parse(string(text))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, data); err != nil {
			return err
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl")
		if base := path.Base(rel); base == "gitignore" {
			rel = path.Join(path.Dir(rel), "."+base)
		}
		rel = filepath.FromSlash(rel)
		if err := writeFile(filepath.Join(dir, rel), out.Bytes()); err != nil {
			return err
		}
		written = append(written, rel)
		return nil
	})
	if err != nil {
		return written, fmt.Errorf("scaffold: %w", err)
	}
	return written, nil
}
