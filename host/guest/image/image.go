package image

import (
	"bytes"
	"fmt"
	"os"
	"sync/atomic"
)

// State is what an image has beside memory.
type State struct {
	Globals  []uint64          `json:"globals"`
	Sections map[string][]byte `json:"sections"` // of whoever took the image
}

// Image is a memory as it was at one moment, and the state that belongs to
// it. Any number of memories begin with it and share the pages that they do
// not write to. It is safe for concurrent use.
type Image struct {
	file   *file
	offset int64 // of the memory in the file
	size   uint64
	state  State
	closed atomic.Bool
}

// file is counted by those who hold it: an Image for each Take, Open and
// Share that was not closed. Mappings need no file.
type file struct {
	*os.File
	holders atomic.Int64
}

const page = 4 << 10 // what is left out of a file if it is all zero

var zeroes [page]byte

// Take makes an image of memory, whose length is a multiple of 64 KiB. It
// copies; state is kept as it is. The image must be closed.
func Take(memory []byte, state State) (*Image, error) {
	f, err := scratch()
	if err != nil {
		return nil, fmt.Errorf("making an image: %w", err)
	}
	err = f.Truncate(int64(len(memory)))
	if err == nil {
		err = writePages(f, 0, memory)
	}
	if err != nil {
		_ = f.Close() // nothing in it is wanted
		return nil, fmt.Errorf("making an image of %d bytes: %w", len(memory), err)
	}
	seal(f)
	return newImage(f, 0, uint64(len(memory)), state), nil
}

func newImage(f *os.File, offset int64, size uint64, state State) *Image {
	i := &Image{file: &file{File: f}, offset: offset, size: size, state: state}
	i.file.holders.Store(1)
	return i
}

// writePages writes b at offset, but for its pages of zeroes: the file must
// have holes there. Neighbouring pages go in one write.
func writePages(f *os.File, offset int64, b []byte) error {
	from := 0
	flush := func(to int) error {
		if from == to {
			return nil
		}
		_, err := f.WriteAt(b[from:to], offset+int64(from))
		return err
	}
	for at := 0; at < len(b); at += page {
		end := min(at+page, len(b))
		if !isZero(b[at:end]) {
			continue
		}
		if err := flush(at); err != nil {
			return err
		}
		from = end
	}
	return flush(len(b))
}

func isZero(b []byte) bool { return bytes.Equal(b, zeroes[:len(b)]) }

// temporary returns a file on disk without a name.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "wasmill-image-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the error is the one above
		return nil, err
	}
	return f, nil
}

// Size returns the length of the memory in bytes.
func (i *Image) Size() uint64 { return i.size }

// State returns the state; it must not be changed.
func (i *Image) State() State { return i.state }

// Share returns another holder of the image, to be closed as well.
func (i *Image) Share() *Image {
	i.file.holders.Add(1)
	return &Image{file: i.file, offset: i.offset, size: i.size, state: i.state}
}

// Close lets go of the image. Memories that were made from it stay. It may be
// called again.
func (i *Image) Close() error {
	if i.closed.Swap(true) || i.file.holders.Add(-1) > 0 {
		return nil
	}
	return i.file.File.Close()
}

// lay maps the image over the beginning of a reservation.
func (i *Image) lay(space []byte) error {
	if i.size == 0 {
		return nil
	}
	return lay(space, i.file.File, i.offset, i.size)
}
