package jobspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// module reads where a module is and looks whether it is there.
func (r *reader) module(n *node, path string) (any, bool) {
	s, ok := n.str()
	if !ok {
		return r.wrong(n, path, "the path of a module")
	}
	if s == "" {
		r.fault(n.spot, msgNoPath, path)
		return nil, false
	}
	full := absolute(n.base, s)
	info, err := os.Stat(full)
	switch {
	case err != nil && isImage(s):
		r.fault(n.spot, msgOCI, path, s)
	case errors.Is(err, fs.ErrNotExist):
		r.fault(n.spot, msgNoModule, path, s, besides(n, s))
	case err != nil:
		r.fault(n.spot, msgModuleAccess, path, s, reason(err))
	case info.IsDir():
		return full, r.source(n, path, s, full)
	case strings.HasSuffix(s, ".wasmill"):
		r.fault(n.spot, msgArchive, path, s)
	case !strings.HasSuffix(s, ".wasm") || !info.Mode().IsRegular():
		r.fault(n.spot, msgModuleKind, path, s)
	default:
		return full, true
	}
	return nil, false
}

// source looks for source that this build makes modules from.
func (r *reader) source(n *node, path, shown, dir string) bool {
	if exists(dir, "go.mod") {
		return true
	}
	for _, l := range languages {
		if exists(dir, l.file) {
			r.fault(n.spot, msgLanguage, path, l.name, shown)
			return false
		}
	}
	r.fault(n.spot, msgNoSource, path, shown)
	return false
}

// languages are those whose source is known by a file, and not built yet.
var languages = []struct{ file, name string }{
	{"Cargo.toml", "Rust"},
	{"pyproject.toml", "Python"},
	{"package.json", "JavaScript"},
	{"CMakeLists.txt", "C"},
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// isImage reports whether a module is named as in a registry: with a digest,
// or by a host with a dot or port before the first slash.
func isImage(s string) bool {
	host, _, slash := strings.Cut(s, "/")
	named := slash && host != "." && host != ".." && strings.ContainsAny(host, ".:") && !strings.HasPrefix(host, ".")
	return strings.HasPrefix(s, "oci://") || strings.Contains(s, "@sha256:") || named
}

// besides says where a relative path was looked for.
func besides(n *node, path string) string {
	switch {
	case filepath.IsAbs(path):
		return ""
	case n.local:
		return hintJobDir
	}
	return hintWorkDir
}

// reason is an error of the file system without the path, which is named
// already.
func reason(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
