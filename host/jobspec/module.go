package jobspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	case !strings.HasSuffix(s, ".wasm") && !strings.HasSuffix(s, ".wasmill") || !info.Mode().IsRegular():
		r.fault(n.spot, msgModuleKind, path, s)
	default:
		return full, true
	}
	return nil, false
}

// source looks for source of a language that steps are built from. Which one
// it is, and whether its tools are there, is found out by the build.
func (r *reader) source(n *node, path, shown, dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.fault(n.spot, msgModuleAccess, path, shown, reason(err))
		return false
	}
	for _, e := range entries {
		if slices.Contains(marks, e.Name()) || slices.Contains(marks, "*"+filepath.Ext(e.Name())) {
			return true
		}
	}
	r.fault(n.spot, msgNoSource, path, shown, strings.Join(marks, ", "))
	return false
}

// marks are the files that directories with source have.
var marks = []string{
	"*.go", "go.mod", "Cargo.toml", "pyproject.toml", "requirements.txt", "step.py", "package.json", "step.ts", "step.js",
	"asconfig.json", "*.c", "*.cc", "*.cpp", "*.cxx",
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
