package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sourceKey hashes what a build of the package in dir reads: the source of
// the module in root and of the modules that its go.mod replaces by
// directories, the toolchain and how it is called. What comes from a module
// cache is named by go.sum. Directories that begin with a dot are skipped
// unless they are such a replacement, so hidden directories cannot be embedded.
func sourceKey(root, dir, version string) (string, error) {
	h := sha256.New()
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "1\x00%s\x00%s\x00%q\x00%q\x00%s\x00", version, rel, goArgs, goVars, os.Getenv("GOTOOLCHAIN"))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for _, tree := range append([]string{"."}, localReplacements(mod)...) {
		fmt.Fprintf(h, "tree %q\x00", tree)
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(root, tree)
		}
		if _, err := os.Stat(tree); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("go.mod replaces a module by %s, which does not exist: put it back (the SDK in .wasmill/sdk is part of the source; wasmill new writes it)", tree)
		}
		if err := hashTree(h, tree); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashTree hashes the Go source below root, in the order of names; and every
// other file as well if some of the source embeds files.
func hashTree(h hash.Hash, root string) error {
	embeds := false
	var others []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !isSource(d.Name()) {
			others = append(others, path)
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		embeds = embeds || bytes.Contains(text, []byte("//go:embed"))
		return hashFile(h, root, path, int64(len(text)), bytes.NewReader(text))
	})
	if err != nil || !embeds {
		return err
	}
	for _, path := range others {
		if err := hashOther(h, root, path); err != nil {
			return err
		}
	}
	return nil
}

// isSource reports whether the go command may read the file without an embed.
func isSource(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".s", ".h", ".mod", ".sum":
		return true
	}
	return name == "modules.txt" // of vendor
}

func hashOther(h hash.Hash, root, path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // nothing that can be embedded
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return hashFile(h, root, path, info.Size(), f)
}

func hashFile(h hash.Hash, root, path string, size int64, r io.Reader) error {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "file %q %d\x00", rel, size)
	_, err = io.Copy(h, r)
	return err
}

// localReplacements returns the directories that a go.mod puts in the place
// of modules, in its order.
func localReplacements(mod []byte) (dirs []string) {
	block := false
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch {
		case words[0] == "replace" && len(words) > 1 && words[1] == "(":
			block = true
			continue
		case block && words[0] == ")":
			block = false
			continue
		case !block && words[0] != "replace":
			continue
		}
		_, target, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		target = strings.Trim(strings.TrimSpace(target), "\"`")
		if strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") || target == "." || target == ".." || filepath.IsAbs(target) {
			dirs = append(dirs, target)
		}
	}
	return dirs
}
