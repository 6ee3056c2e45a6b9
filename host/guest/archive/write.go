package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// File is a file of an application.
type File struct {
	Name string // slash-separated, relative to /app
	Data []byte
}

// epoch is the time of every entry: the earliest that a zip file can say.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes an archive. The same arguments give the same bytes with the
// same Go release, in whatever order the files come. interpreter is nil if it
// is to be found by its digest where the step runs. What Read would refuse is
// not written.
func Write(w io.Writer, s Step, app []File, interpreter []byte) error {
	s.Format = Format
	if s.Args == nil {
		s.Args = []string{}
	}
	if s.Env == nil {
		s.Env = map[string]string{}
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	step, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	files, err := packApp(app)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	for _, part := range []struct {
		name       string
		size, most int
	}{{stepName, len(step) + 1, MaxStep}, {appName, len(files), MaxApp}, {interpreterName, len(interpreter), MaxInterpreter}} {
		if part.size > part.most {
			return fmt.Errorf("archive: its %s has %d bytes, at most %d are allowed", part.name, part.size, part.most)
		}
	}
	z := newZip(w)
	err = add(z, stepName, append(step, '\n'), zip.Store)
	if err == nil {
		err = add(z, appName, files, zip.Store)
	}
	if err == nil && interpreter != nil {
		err = add(z, interpreterName, interpreter, zip.Deflate)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

func packApp(app []File) ([]byte, error) {
	if len(app) > MaxFiles {
		return nil, fmt.Errorf("the step has %d files, at most %d are allowed", len(app), MaxFiles)
	}
	left := MaxUnpacked
	app = slices.SortedFunc(slices.Values(app), func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	z := newZip(&b)
	for i, f := range app {
		if !fs.ValidPath(f.Name) || f.Name == "." {
			return nil, fmt.Errorf("%q is no path of a file", f.Name)
		}
		if i > 0 && app[i-1].Name == f.Name {
			return nil, fmt.Errorf("the file %q comes twice", f.Name)
		}
		if left -= len(f.Data); left < 0 {
			return nil, fmt.Errorf("the step's files have more than %d bytes", MaxUnpacked)
		}
		if err := add(z, f.Name, f.Data, zip.Deflate); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func newZip(w io.Writer) *zip.Writer {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	return z
}

func add(z *zip.Writer, name string, data []byte, method uint16) error {
	h := &zip.FileHeader{Name: name, Method: method, Modified: epoch}
	h.SetMode(0o644)
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
