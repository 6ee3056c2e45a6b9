package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
)

// The names in an archive, in their order.
const (
	stepName        = "step.json"
	appName         = "app.zip"
	interpreterName = "interpreter.wasm"
)

// Read reads an archive. b is kept and must not change.
func Read(b []byte) (*Archive, error) {
	a, err := read(b)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return a, nil
}

func read(b []byte) (*Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("it is no zip file: %w", err)
	}
	a := &Archive{}
	parts := map[string][]byte{}
	for _, f := range z.File {
		most, ok := map[string]uint64{stepName: MaxStep, appName: MaxApp, interpreterName: MaxInterpreter}[f.Name]
		switch {
		case !ok:
			return nil, fmt.Errorf("it holds %q, which does not belong there", clip(f.Name))
		case parts[f.Name] != nil:
			return nil, fmt.Errorf("it holds %s twice", f.Name)
		case f.UncompressedSize64 > most:
			return nil, fmt.Errorf("its %s has %d bytes, at most %d are allowed", f.Name, f.UncompressedSize64, most)
		}
		if parts[f.Name], err = unpack(f); err != nil {
			return nil, fmt.Errorf("its %s: %w", f.Name, err)
		}
	}
	for _, name := range []string{stepName, appName} {
		if parts[name] == nil {
			return nil, fmt.Errorf("it lacks %s", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(parts[stepName]))
	d.DisallowUnknownFields()
	if err := d.Decode(&a.Step); err != nil {
		return nil, fmt.Errorf("its %s: %w", stepName, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("its %s goes on behind the object", stepName)
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	a.Wasm = parts[interpreterName]
	if sum := sha256.Sum256(a.Wasm); a.Wasm != nil && "sha256:"+hex.EncodeToString(sum[:]) != a.Interpreter.Digest {
		return nil, fmt.Errorf("its %s is not the one of digest %s", interpreterName, a.Interpreter.Digest)
	}
	if a.Files, err = readApp(parts[appName]); err != nil {
		return nil, fmt.Errorf("its %s: %w", appName, err)
	}
	return a, nil
}

// unpack returns the bytes of an entry, never more than its header says.
func unpack(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := bytes.NewBuffer(make([]byte, 0, min(f.UncompressedSize64, 1<<20)))
	n, err := io.Copy(b, io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err == nil && uint64(n) > f.UncompressedSize64 {
		err = fmt.Errorf("it has more than the %d bytes that its header says", f.UncompressedSize64)
	}
	return b.Bytes(), err
}

// readApp checks the application's files and returns them as a tree. They are
// unpacked when they are read.
func readApp(b []byte) (fs.FS, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	if len(z.File) > MaxFiles {
		return nil, fmt.Errorf("it holds %d files, at most %d are allowed", len(z.File), MaxFiles)
	}
	seen := make(map[string]bool, len(z.File))
	left := uint64(MaxUnpacked)
	for _, f := range z.File {
		switch {
		case !fs.ValidPath(f.Name) || f.Name == ".":
			return nil, fmt.Errorf("%q is no path of a file", clip(f.Name))
		case seen[f.Name]:
			return nil, fmt.Errorf("it holds %q twice", clip(f.Name))
		case !f.Mode().IsRegular():
			return nil, fmt.Errorf("%q is not a regular file", clip(f.Name))
		case f.UncompressedSize64 > left:
			return nil, fmt.Errorf("its files have more than %d bytes", MaxUnpacked)
		}
		seen[f.Name] = true
		left -= f.UncompressedSize64
	}
	return z, nil
}
