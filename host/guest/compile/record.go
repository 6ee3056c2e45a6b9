package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// recordFormat is the version of a record's layout and of its name.
const recordFormat = "1"

// entry is what one compiled module is in wazero's cache. As JSON it is the
// file KEY.record beside the entry, by which the entry is verified. Format is
// recordFormat.
type entry struct {
	Format string `json:"format"`
	Name   string `json:"name"` // of the file
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hex digits
}

var entryName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// errDamaged says that an entry is not what its record says. The text behind
// it says how.
var errDamaged = errors.New("the compiled module is damaged")

// measure returns the entry that the file at path is.
func measure(path string) (entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return entry{}, err
	}
	return entry{recordFormat, filepath.Base(path), n, hex.EncodeToString(h.Sum(nil))}, nil
}

// verify checks the entry of the record KEY in dir. Without such a record or
// entry the error is fs.ErrNotExist; if they do not belong together it is
// errDamaged.
func verify(dir, key string) (entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, key+".record"))
	if err != nil {
		return entry{}, err
	}
	var want entry
	if err := json.Unmarshal(text, &want); err != nil || want.Format != recordFormat || !entryName.MatchString(want.Name) {
		return entry{}, fmt.Errorf("%w: its record cannot be read", errDamaged)
	}
	got, err := measure(filepath.Join(dir, want.Name))
	switch {
	case err != nil:
		return entry{}, err
	case got != want:
		return entry{}, fmt.Errorf("%w: %d bytes with sha256 %.12s, not %d with %.12s", errDamaged, got.Size, got.SHA256, want.Size, want.SHA256)
	}
	return got, nil
}

// install moves the file at path to where wazero looks for e, and writes its
// record. Both happen by renaming, so that who reads at the same time sees an
// old or a new one, each of them good.
func install(path, dir, key string, e entry) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	written := path + ".record"
	if err := os.WriteFile(written, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path, filepath.Join(dir, e.Name)); err != nil {
		return err
	}
	return os.Rename(written, filepath.Join(dir, key+".record"))
}

// remove removes a record and its entry, so that neither is used again.
func remove(dir, key string) error {
	path := filepath.Join(dir, key+".record")
	var e entry
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &e) == nil && entryName.MatchString(e.Name) {
		if err := os.Remove(filepath.Join(dir, e.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
