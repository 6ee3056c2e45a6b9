package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// recipe is one way to build a module. Everything that decides what comes out
// is in it, so that its hash names the module in the cache.
type recipe struct {
	dir     string   // with the source; the command runs in it
	also    []string // more directories with source
	tools   []string // programs whose change makes a change
	command []string // OUT in it is the directory that receives the module
	env     []string
	out     string // of the module, below OUT
}

// build returns the module of r from the cache, or runs its command.
func (p *place) build(r recipe) ([]byte, error) {
	key, err := r.key()
	if err != nil {
		return nil, fmt.Errorf("hashing the source: %w", err)
	}
	kept := filepath.Join(p.cache, key+".wasm")
	if wasm, err := os.ReadFile(kept); err == nil {
		return wasm, nil
	}
	tmp, err := os.MkdirTemp(p.cache, "build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	args := make([]string, len(r.command))
	for i, a := range r.command {
		args[i] = strings.ReplaceAll(a, "OUT", tmp)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), r.env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s in %s: %w\n%s", strings.Join(args, " "), r.dir, err, bytes.TrimSpace(text))
	}
	made := filepath.Join(tmp, r.out)
	wasm, err := os.ReadFile(made)
	if err != nil {
		return nil, err
	}
	return wasm, os.Rename(made, kept)
}

// key hashes the recipe, the source and what tells one build of a tool from another.
func (r *recipe) key() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", r.command, r.env, r.out)
	for _, tool := range r.tools {
		info, err := os.Stat(tool)
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, runToolchains)
		}
		fmt.Fprintf(h, "%s %d %d\n", tool, info.Size(), info.ModTime().UnixNano())
	}
	for _, dir := range append([]string{r.dir}, r.also...) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			content := sha256.New()
			if _, err := io.Copy(content, f); err != nil {
				return err
			}
			fmt.Fprintf(h, "%q %x\n", rel, content.Sum(nil))
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
