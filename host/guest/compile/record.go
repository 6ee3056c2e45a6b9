package compile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/cespare/xxhash/v2"
)

// recordFormat is the version of a record's layout and of its name.
const recordFormat = "3"

// entry is what one compiled module is in wazero's cache. As JSON it is the
// file KEY.record beside the entry, by which the entry is verified. Format is
// recordFormat.
type entry struct {
	Format string `json:"format"`
	Key    string `json:"key"`  // of the record, for files may change places
	Name   string `json:"name"` // of the file
	Size   int64  `json:"size"`
	Sum    string `json:"xxh64"` // hex digits
}

var entryName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// errDamaged says that an entry is not what its record says. The text behind
// it says how.
var errDamaged = errors.New("the compiled module is damaged")

// measure returns the entry that a file is for a record.
func measure(f *os.File, key string) (entry, error) {
	h := xxhash.New()
	n, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 256<<10))
	return entry{recordFormat, key, filepath.Base(f.Name()), n, fmt.Sprintf("%016x", h.Sum64())}, err
}

// verify checks the entry of the record KEY in dir and returns its file, open.
// Without such a record or entry the error is fs.ErrNotExist; if they do not
// belong together it is errDamaged.
func verify(dir, key string) (*os.File, error) {
	text, err := os.ReadFile(filepath.Join(dir, key+".record"))
	if err != nil {
		return nil, err
	}
	var want entry
	if err := json.Unmarshal(text, &want); err != nil || want.Format != recordFormat || want.Key != key || !entryName.MatchString(want.Name) {
		return nil, fmt.Errorf("%w: its record cannot be read or is another's", errDamaged)
	}
	f, err := os.Open(filepath.Join(dir, want.Name))
	if err != nil {
		return nil, err
	}
	got, err := measure(f, key)
	if err == nil && got != want {
		err = fmt.Errorf("%w: %d bytes with the sum %s, not %d with %s", errDamaged, got.Size, got.Sum, want.Size, want.Sum)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// install moves the file at path to where wazero looks for e, and writes its
// record. Both happen by renaming, so that who reads at the same time sees an
// old or a new one, each of them good.
func install(path, dir, key string, e entry) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	e.Key = key
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
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &e) == nil && e.Key == key && entryName.MatchString(e.Name) {
		if err := os.Remove(filepath.Join(dir, e.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
