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
// a module that was here before is neither read nor rewritten again. A file
// is, with numbers little-endian:
//
//	32 bytes   SHA-256 of all that follows
//	u32        bytes of JSON, which is keptFacts
//	           the JSON
//	u32        data segments; for each: u32 address, u32 offset in the
//	           original module, u32 length
//	           the rewritten module
//
// Its name is the SHA-256 of all that went into it. It lies in the directory
// of compiled modules, which is its owner's alone.
type kept struct {
	dir  string // "" = nothing is kept
	rule string // what admission goes by
}

// keptVersion is that of the file.
const keptVersion = 1

// keptFacts are what is kept of a meter.Result beside its data and its module.
type keptFacts struct {
	Start   string         `json:"start"`
	Globals []meter.Global `json:"globals"`
	Whole   bool           `json:"whole"`
	Lines   bool           `json:"lines"` // the module has debug data that is of use
}

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

// get returns what is kept of a module in a form, whose bytes the data are
// views of, or an error: os.ErrNotExist, errKept.
func (k *kept) get(original []byte, digest string, o meter.Options) (*meter.Result, bool, error) {
	if k.dir == "" {
		return nil, false, os.ErrNotExist
	}
	path := k.path(digest, o)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, false, err
	}
	if len(b) < sha256.Size || sha256.Sum256(b[sha256.Size:]) != [sha256.Size]byte(b[:sha256.Size]) {
		return nil, false, errKept
	}
	cachedir.Touch(path)
	r := bytes.NewReader(b[sha256.Size:])
	next := func() (n uint32) {
		err = errors.Join(err, binary.Read(r, binary.LittleEndian, &n))
		return n
	}
	text := make([]byte, min(int(next()), r.Len()))
	var facts keptFacts
	if _, e := io.ReadFull(r, text); err != nil || e != nil || json.Unmarshal(text, &facts) != nil {
		return nil, false, errKept
	}
	res := &meter.Result{Start: facts.Start, Globals: facts.Globals, Whole: facts.Whole}
	n := int(next())
	table := b[len(b)-r.Len():]
	if err != nil || n > len(table)/segmentSize {
		return nil, false, errKept
	}
	res.Wasm = table[n*segmentSize:]
	res.Data = make([]meter.Segment, n)
	for i := range res.Data {
		s := table[i*segmentSize:]
		at, from, size := binary.LittleEndian.Uint32(s), uint64(binary.LittleEndian.Uint32(s[4:])), uint64(binary.LittleEndian.Uint32(s[8:]))
		if from+size > uint64(len(original)) {
			return nil, false, errKept
		}
		res.Data[i] = meter.Segment{At: at, From: uint32(from), Bytes: original[from : from+size : from+size]}
	}
	return res, facts.Lines, nil
}

const segmentSize = 12

// put keeps what was made of a module. What cannot be kept is made again.
func (k *kept) put(digest string, o meter.Options, res *meter.Result, lines bool) error {
	if k.dir == "" {
		return nil
	}
	text, err := json.Marshal(keptFacts{Start: res.Start, Globals: res.Globals, Whole: res.Whole, Lines: lines})
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	b := append(le.AppendUint32(make([]byte, sha256.Size), uint32(len(text))), text...)
	b = le.AppendUint32(b, uint32(len(res.Data)))
	for _, d := range res.Data {
		b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, d.At), d.From), uint32(len(d.Bytes)))
	}
	b = append(b, res.Wasm...)
	sum := sha256.Sum256(b[sha256.Size:])
	copy(b, sum[:])
	return cachedir.Replace(k.path(digest, o), func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}
