package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Version is that of the file format, which FORMAT.md describes.
const Version = 2

// ErrDamaged is what Open returns for a file that is not as Save wrote it.
var ErrDamaged = errors.New("image: the file is damaged")

var magic = [8]byte{'w', 'm', 'i', 'm', 'a', 'g', 'e', 0}

// header is the beginning of a file, little-endian.
type header struct {
	Magic   [8]byte
	Version uint32
	Meta    uint32 // bytes of JSON behind the header
	Memory  uint64 // bytes
	Key     [32]byte
	MetaSum [32]byte
	Sum     uint64   // of the memory: see eachPiece
	Check   [32]byte // SHA-256 of all fields before
}

const (
	headerSize = 8 + 4 + 4 + 8 + 2*32 + 8 + 32
	align      = 64 << 10 // of the memory in the file: a page of any machine
	maxMeta    = 16 << 20
)

func (h *header) check() [32]byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, h) // cannot fail
	return sha256.Sum256(b.Bytes()[:headerSize-32])
}

func memoryAt(meta int) int64 { return int64(headerSize+meta+align-1) / align * align }

// Save writes the image to a file, which replaces the one at path as a whole; a
// missing directory is made. Open wants the same key.
func (i *Image) Save(path, key string) error {
	meta, err := json.Marshal(i.state)
	if err != nil {
		return err
	}
	h := header{Magic: magic, Version: Version, Meta: uint32(len(meta)), Memory: i.size, Key: sha256.Sum256([]byte(key)), MetaSum: sha256.Sum256(meta)}
	at := memoryAt(len(meta))
	return cachedir.Replace(path, func(f *os.File) (err error) {
		if err := f.Truncate(at + int64(i.size)); err != nil {
			return err
		}
		if h.Sum, err = eachPiece(i.file, i.offset, i.size, func(off int64, b []byte) error { return writePages(f, at+off, b) }); err != nil {
			return err
		}
		h.Check = h.check()
		var head bytes.Buffer
		_ = binary.Write(&head, binary.LittleEndian, &h) // cannot fail
		_, err = f.WriteAt(append(head.Bytes(), meta...), 0)
		return err
	})
}

// eachPiece reads the memory of an image piece by piece and returns its sum:
// the XXH64 of each page that is not all zero, behind its number.
func eachPiece(r io.ReaderAt, offset int64, size uint64, do func(off int64, b []byte) error) (sum uint64, err error) {
	h := xxhash.New()
	buf := make([]byte, min(size, 1<<20))
	for off := int64(0); off < int64(size); off += int64(len(buf)) {
		b := buf[:min(int64(len(buf)), int64(size)-off)]
		if _, err := r.ReadAt(b, offset+off); err != nil {
			return 0, err
		}
		for p := 0; p < len(b); p += page {
			if pg := b[p:min(p+page, len(b))]; !isZero(pg) {
				var number [8]byte
				binary.LittleEndian.PutUint64(number[:], uint64(off+int64(p))/page)
				h.Write(number[:])
				h.Write(pg)
			}
		}
		if do != nil {
			if err := do(off, b); err != nil {
				return 0, err
			}
		}
	}
	return h.Sum64(), nil
}

// Open reads an image from a file and verifies all of it. If there is none
// the error is os.ErrNotExist; one that wraps ErrDamaged says that the file
// is of no use. The image must be closed.
func Open(path, key string) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	i, err := read(f, key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), f.Close())
	}
	return i, nil
}

func read(f *os.File, key string) (*Image, error) {
	damaged := func(what string) error { return fmt.Errorf("%w: %s", ErrDamaged, what) }
	var h header
	if err := binary.Read(io.NewSectionReader(f, 0, headerSize), binary.LittleEndian, &h); err != nil {
		return nil, damaged("it is too short")
	}
	switch {
	case h.Magic != magic:
		return nil, damaged("it does not begin as an image")
	case h.Version != Version:
		return nil, damaged(fmt.Sprintf("its version is %d, not %d", h.Version, Version))
	case h.Check != h.check():
		return nil, damaged("its header")
	case h.Key != sha256.Sum256([]byte(key)):
		return nil, damaged("it is of something else")
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	at := memoryAt(int(min(h.Meta, maxMeta)))
	if h.Meta > maxMeta || h.Memory > 1<<32 || h.Memory%wasm.PageSize != 0 || info.Size() != at+int64(h.Memory) {
		return nil, damaged("its length")
	}
	meta := make([]byte, h.Meta)
	if _, err := f.ReadAt(meta, headerSize); err != nil {
		return nil, err
	}
	if h.MetaSum != sha256.Sum256(meta) {
		return nil, damaged("its state")
	}
	var state State
	if err := json.Unmarshal(meta, &state); err != nil {
		return nil, damaged("its state")
	}
	sum, err := eachPiece(f, at, h.Memory, nil)
	if err != nil {
		return nil, err
	}
	if sum != h.Sum {
		return nil, damaged("its memory")
	}
	return newImage(f, at, h.Memory, state), nil
}
