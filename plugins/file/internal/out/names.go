package out

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// name is the name of a file of the sink:
//
//	part-00003.jsonl              without roll
//	part-00003-000001.jsonl       with roll, finished
//	.part-00003-000001.g7.tmp     with roll, still written to, or not yet renamed
type name struct {
	dir        string // "." or that of a partition value
	task       int
	rolled     bool
	sequence   uint64
	temporary  bool
	generation uint64
	ext        string // of a finished file
}

var namePattern = regexp.MustCompile(`^(?:part-([0-9]{5,9})(?:-([0-9]{6,18}))?\.(jsonl|txt|csv)|\.part-([0-9]{5,9})-([0-9]{6,18})\.g([0-9]{1,18})\.tmp)$`)

// parseName takes apart what String has made; anything else is not ours.
func parseName(dir, base string) (name, bool) {
	m := namePattern.FindStringSubmatch(base)
	if m == nil {
		return name{}, false
	}
	number := func(s string) uint64 {
		v, _ := strconv.ParseUint(s, 10, 64) // digits that fit, says the pattern
		return v
	}
	n := name{dir: dir, ext: m[3]}
	if n.temporary = m[4] != ""; n.temporary {
		n.task, n.sequence, n.generation, n.rolled = int(number(m[4])), number(m[5]), number(m[6]), true
	} else {
		n.task, n.sequence, n.rolled = int(number(m[1])), number(m[2]), m[2] != ""
	}
	return n, n.String() == join(dir, base)
}

// String returns the path relative to the sink.
func (n name) String() string {
	switch {
	case n.temporary:
		return join(n.dir, fmt.Sprintf(".part-%05d-%06d.g%d.tmp", n.task, n.sequence, n.generation))
	case n.rolled:
		return join(n.dir, fmt.Sprintf("part-%05d-%06d.%s", n.task, n.sequence, n.ext))
	}
	return join(n.dir, fmt.Sprintf("part-%05d.%s", n.task, n.ext))
}

// finished returns the name that a temporary file gets.
func (n name) finished(ext string) name {
	return name{dir: n.dir, task: n.task, rolled: true, sequence: n.sequence, ext: ext}
}

func join(dir, base string) string {
	if dir == "." {
		return base
	}
	return dir + "/" + base
}

func split(path string) (dir, base string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return ".", path
}

// Directories of values that have no text.
const (
	emptyDir   = "_empty"   // ""
	missingDir = "_missing" // null, an object, an array, or nothing there
)

// maxDir is the longest name of a directory, in bytes.
const maxDir = 200

// dirOf makes a partition value the name of a directory: letters, digits, and
// = - . _ stay, the last two not as the first byte; all else is %XX. A long
// one is cut and ends with ~ and a hash of the whole.
func dirOf(value []byte) string {
	if len(value) == 0 {
		return emptyDir
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(value)+8)
	for i, c := range value {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '=', c == '-', i > 0 && (c == '.' || c == '_'):
			b = append(b, c)
		default:
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	if len(b) > maxDir {
		h := fnv.New128a()
		h.Write(value)
		b = append(append(b[:maxDir-33], '~'), hex.EncodeToString(h.Sum(nil))...)
	}
	return string(b)
}
