package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/quickjs"
)

var javascript = &language{
	name: "TypeScript or JavaScript", marks: "step.ts, step.js or package.json", ext: archive.Ext,
	detect: func(names map[string]bool) bool {
		for _, entry := range entries {
			if names[entry] {
				return true
			}
		}
		return names["package.json"] && !names["asconfig.json"] && !names["Cargo.toml"] && !names["pyproject.toml"] && !hasExt(names, ".go")
	},
	prepare: prepareJavaScript,
}

// entries are the files that may be the step, in this order.
var entries = []string{"step.ts", "step.mts", "step.js", "step.mjs", "src/step.ts", "src/step.mts", "src/step.js", "src/step.mjs"}

// npmPackage is what of package.json matters here.
type npmPackage struct {
	Version      string            `json:"version"`
	Dependencies map[string]string `json:"dependencies"`
	Wasmill      string            `json:"wasmill"` // the step's file, if it is none of entries
}

// prepareJavaScript bundles the step with the packages that it imports, which
// takes milliseconds: the bundle is what decides. An archive of it and the
// engine comes out.
func prepareJavaScript(_ context.Context, p *project) (builder, error) {
	pkg, err := readPackage(filepath.Join(p.dir, "package.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("build: %w", err)
	}
	entry, err := entryOf(p.dir, pkg)
	if err != nil {
		return nil, err
	}
	p.trees = append(p.trees, p.dir)
	sdk := sdkOf(p, pkg)
	if sdk != "" {
		p.trees = append(p.trees, sdk)
	}
	if err := installed(p.dir, pkg); err != nil {
		return nil, err
	}
	files, err := bundle(p.dir, entry, sdk)
	if err != nil {
		return nil, err
	}
	files = append(files, archive.File{Name: "LICENSE-quickjs", Data: []byte(quickjs.License)}) // it goes with every copy
	step := archive.Step{
		Language:    "javascript",
		Carrier:     archive.ABI,
		Interpreter: archive.Interpreter{Name: quickjs.Name, Version: quickjs.Version, Digest: quickjs.Digest()},
		ABI:         stepABI,
		SDK:         sdkVersion(p.dir, sdk),
		Main:        entry,
	}
	p.note(step.ABI, step.SDK, step.Main, quickjs.Digest())
	for _, f := range files {
		p.note(f.Name, string(f.Data))
	}
	return func(_ context.Context, out string) error {
		var b bytes.Buffer
		if err := archive.Write(&b, step, files, quickjs.Engine()); err != nil {
			return fmt.Errorf("build: %s: %w", p.dir, err)
		}
		return os.WriteFile(out, b.Bytes(), 0o600)
	}, nil
}

func readPackage(path string) (npmPackage, error) {
	var pkg npmPackage
	text, err := os.ReadFile(path)
	if err == nil {
		if err = json.Unmarshal(text, &pkg); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return pkg, err
}

// entryOf returns the file that is the step, slash-separated and relative to dir.
func entryOf(dir string, pkg npmPackage) (string, error) {
	if pkg.Wasmill != "" {
		return filepath.ToSlash(pkg.Wasmill), nil
	}
	for _, entry := range entries {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(entry))); err == nil && info.Mode().IsRegular() {
			return entry, nil
		}
	}
	return "", fmt.Errorf("build: %s has none of the files %s: call the step so, or name its file in package.json: \"wasmill\": \"src/my-step.ts\"", dir, strings.Join(entries, ", "))
}

// sdkOf returns the directory of the SDK where package.json names one, or
// wasmill new wrote it; "" if it is to be found as any package is.
func sdkOf(p *project, pkg npmPackage) string {
	if path, ok := strings.CutPrefix(pkg.Dependencies["wasmill"], "file:"); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, filepath.FromSlash(path))
		}
		return path
	}
	if dir, ok := p.sdk(); ok {
		return dir
	}
	return ""
}

// installed reports packages that npm has to fetch first. The SDK is no such
// package where it is a directory.
func installed(dir string, pkg npmPackage) error {
	var missing []string
	for name, version := range pkg.Dependencies {
		if name == "wasmill" && strings.HasPrefix(version, "file:") {
			continue
		}
		if !inNodeModules(dir, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("build: %s: package.json depends on %s, which node_modules does not have: run npm install there (npm comes with Node.js)", dir, strings.Join(missing, ", "))
}

// inNodeModules looks where Node.js does: in the directory and those above it.
func inNodeModules(dir, name string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(name))); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

func sdkVersion(dir, sdk string) string {
	if sdk == "" {
		sdk = filepath.Join(dir, "node_modules", "wasmill")
	}
	pkg, err := readPackage(filepath.Join(sdk, "package.json"))
	if err != nil {
		return ""
	}
	return pkg.Version
}
