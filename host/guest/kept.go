package guest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
	"github.com/wasmill/wasmill/host/guest/meter"
)

// kept holds on disk what admission and the rewriter made of modules, so that
// a module that was here before is neither parsed nor rewritten again. A file
// is, with numbers little-endian:
//
//	32 bytes   SHA-256 of the file's name and of all that follows
//	u32        bytes of JSON, which is facts
//	           the JSON
//	u32        data segments; for each: u32 address, u32 offset in the
//	           original module, u32 length
//	           the stub of the rewritten module, see compile.Stub
//
// Its name is the SHA-256 of all that went into it. It lies in the directory
// of compiled modules, which is its owner's alone.
type kept struct {
	dir  string // "" = nothing is kept
	rule string // what admission goes by
}

// keptVersion is that of the file.
const keptVersion = 4

// errKept says that a file is not as it was written.
var errKept = errors.New("guest: a kept module is damaged")

// keepModules says where: below the directory of compiled modules.
func (e *Engine) keepModules(dir string) error {
	e.kept.dir = filepath.Join(dir, "rewritten")
	h := sha256.New()
	for _, module := range slices.Sorted(maps.Keys(e.host)) {
		for _, name := range slices.Sorted(maps.Keys(e.host[module])) {
			fmt.Fprintln(h, module, name, e.host[module][name])
		}
	}
	e.kept.rule = fmt.Sprintf("%d %d %d.%d %d %x", keptVersion, admit.Version, abi.Version, abi.Minor, e.memory, h.Sum(nil))
	return os.MkdirAll(e.kept.dir, 0o700)
}

func (k *kept) path(digest string, o meter.Options) string {
	name := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d %d", k.rule, digest, meter.Version, o.Form, o.Stack))
	return filepath.Join(k.dir, hex.EncodeToString(name[:]))
}

// sumOf returns the sum with which a file of these bytes, the sum among them, has
// to begin. The file's name is a part of it, for files may change places.
func sumOf(path string, b []byte) []byte {
	h := sha256.New()
	_, _ = h.Write([]byte(filepath.Base(path))) // never fails
	_, _ = h.Write(b[sha256.Size:])
	return h.Sum(nil)
}

// get returns what is kept of a module in a form, or an error:
// os.ErrNotExist, errKept.
func (k *kept) get(digest string, o meter.Options) (*rewritten, error) {
	if k.dir == "" {
		return nil, os.ErrNotExist
	}
	path := k.path(digest, o)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < sha256.Size || !bytes.Equal(sumOf(path, b), b[:sha256.Size]) {
		return nil, errKept
	}
	cachedir.Touch(path)
	r := bytes.NewReader(b[sha256.Size:])
	next := func() (n uint32) {
		err = errors.Join(err, binary.Read(r, binary.LittleEndian, &n))
		return n
	}
	text := make([]byte, min(int(next()), r.Len()))
	res := &rewritten{}
	if _, e := io.ReadFull(r, text); err != nil || e != nil || json.Unmarshal(text, &res.facts) != nil {
		return nil, errKept
	}
	n := int(next())
	table := b[len(b)-r.Len():]
	if err != nil || n > len(table)/segmentSize {
		return nil, errKept
	}
	res.stub = table[n*segmentSize:]
	res.Data = make([]segment, n)
	for i := range res.Data {
		s := table[i*segmentSize:]
		res.Data[i] = segment{binary.LittleEndian.Uint32(s), binary.LittleEndian.Uint32(s[4:]), binary.LittleEndian.Uint32(s[8:])}
	}
	return res, nil
}

const segmentSize = 12

// put keeps what was made of a module. What cannot be kept is made again.
func (k *kept) put(digest string, o meter.Options, res *rewritten) error {
	if k.dir == "" {
		return nil
	}
	text, err := json.Marshal(res.facts)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	b := append(le.AppendUint32(make([]byte, sha256.Size), uint32(len(text))), text...)
	b = le.AppendUint32(b, uint32(len(res.Data)))
	for _, d := range res.Data {
		b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, d.at), d.from), d.size)
	}
	b = append(b, res.stub...)
	path := k.path(digest, o)
	copy(b, sumOf(path, b))
	return cachedir.Replace(path, func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}
