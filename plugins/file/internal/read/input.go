package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/traversal"
)

// maxZstdWindow bounds what a compressed file may make us allocate: the
// windows that `zstd --ultra` writes have at most this many bytes.
const maxZstdWindow = 128 << 20

// input is the bytes of a file from off on, as far as it was listed, plain or
// decompressed. Its errors are *plugins.Fault or io.EOF.
type input struct {
	file    traversal.File
	off     int64 // of the next byte to read from file
	o       Options
	started bool
	decoder io.Reader // nil if plain
	free    func()    // gives the decoder back
	fault   error     // of reading the file below the decoder
	calls   int       // of ReadAt
}

// read fills p as far as it can. io.EOF or a fault may come with bytes.
func (in *input) read(p []byte) (int, error) {
	if in.decoder == nil {
		n, err := in.raw(p)
		if in.started || !in.o.Auto || in.o.Start != 0 || in.off != int64(n) {
			return n, err
		}
		in.started = true
		open := decoderOf(p[:n])
		if open == nil {
			return n, err
		}
		in.off, in.fault = 0, nil // what was wrong will be found again, in its place
		if in.decoder, in.free, err = open(rawReader{in}); err != nil {
			return 0, in.broken(err)
		}
	}
	n, err := io.ReadFull(in.decoder, p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.ErrUnexpectedEOF) && in.atEnd():
		return n, io.EOF
	case err == io.EOF:
		return n, io.EOF
	}
	return n, in.broken(err)
}

// atEnd tells a decoder's end, which io.ReadFull reports as unexpected, from
// compressed data that stop short.
func (in *input) atEnd() bool {
	var one [1]byte
	n, err := in.decoder.Read(one[:])
	return n == 0 && err == io.EOF
}

func (in *input) broken(err error) error {
	if in.fault != nil {
		return in.fault
	}
	return &plugins.Fault{Kind: plugins.Corrupt, Path: in.o.Path, Err: fmt.Errorf("after %d compressed bytes: %w", in.off, err)}
}

// raw reads from the file itself. At the end of the listed size io.EOF comes
// with the last bytes, so that a small file takes one call.
func (in *input) raw(p []byte) (int, error) {
	if in.fault != nil {
		return 0, in.fault
	}
	left := in.o.Size - in.off
	if left <= 0 {
		return 0, in.end()
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	in.calls++
	n, err := in.file.ReadAt(p, in.off)
	in.off += int64(n)
	switch {
	case n == len(p):
		if in.off >= in.o.Size {
			return n, in.end()
		}
		return n, nil
	case err == io.EOF:
		in.fault = in.changed(fmt.Errorf("it ends at byte %d, %d were listed", in.off, in.o.Size))
	default:
		in.fault = &plugins.Fault{Kind: plugins.Unreadable, Path: in.o.Path, Err: err}
	}
	return n, in.fault
}

// end is io.EOF, or the fault of a file that is not as it was listed. A file
// of several reads is looked at once more, for it may have changed meanwhile.
func (in *input) end() error {
	if in.fault != nil {
		return in.fault
	}
	err := in.o.Changed
	if err == nil && in.calls > 1 {
		in.calls = 0
		var e traversal.Entry
		if e, err = in.file.Stat(); err == nil {
			err = Differs(in.o.Size, in.o.ModTime, e)
		}
	}
	if err != nil {
		in.fault = in.changed(err)
		return in.fault
	}
	return io.EOF
}

// Differs says how a file is not the one that was listed with size and
// modTime, or nil.
func Differs(size, modTime int64, now traversal.Entry) error {
	switch {
	case now.Size != size:
		return fmt.Errorf("it had %d bytes when it was listed and has %d now", size, now.Size)
	case now.ModTime != modTime:
		return errors.New("it was written to since it was listed")
	}
	return nil
}

func (in *input) changed(err error) error {
	return &plugins.Fault{Kind: plugins.Changed, Path: in.o.Path, Err: err}
}

func (in *input) close() {
	if in.free != nil {
		in.free()
		in.free, in.decoder = nil, nil
	}
}

// rawReader is what a decoder reads from.
type rawReader struct{ in *input }

func (r rawReader) Read(p []byte) (int, error) {
	n, err := r.in.raw(p)
	if err != nil && err != io.EOF && n > 0 {
		err = nil // comes again with the next call
	}
	return n, err
}

type openDecoder func(io.Reader) (io.Reader, func(), error)

// decoderOf recognises a format by the first bytes of a file.
func decoderOf(head []byte) openDecoder {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		return openGzip
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return openZstd
	}
	return nil
}

// Compressed tells whether a file that begins with head, of which four bytes
// are enough, is of a known compressed format.
func Compressed(head []byte) bool { return decoderOf(head) != nil }

var gzips, zstds sync.Pool

func openGzip(r io.Reader) (io.Reader, func(), error) {
	z, ok := gzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	if err := z.Reset(r); err != nil {
		return nil, nil, err
	}
	return z, func() { gzips.Put(z) }, nil
}

func openZstd(r io.Reader) (io.Reader, func(), error) {
	z, ok := zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, err
		}
	}
	if err := z.Reset(r); err != nil {
		return nil, nil, err
	}
	return z, func() {
		if z.Reset(nil) == nil { // lets go of the file
			zstds.Put(z)
		}
	}, nil
}
