package debugdata

import (
	"path"
	"strings"
)

// path returns the path of a file by its number, "" if there is no such file.
func (t *lineTable) path(number uint64) string {
	if number >= uint64(len(t.files)) {
		return ""
	}
	f := t.files[number]
	if len(f.name) == 0 {
		return ""
	}
	name := slashed(f.name)
	if !isAbsolute(name) && f.dir < uint64(len(t.dirs)) {
		name = path.Join(slashed(t.dirs[f.dir]), name)
	}
	name = below(path.Clean(name), slashed(t.dir))
	if cut := len(name) - pathMost; cut > 0 {
		return "…" + name[cut:]
	}
	return name
}

// below cuts the directory that the compiler ran in off a path.
func below(name, dir string) string {
	if dir == "" || dir == "/" {
		return name
	}
	if rest, ok := strings.CutPrefix(name, path.Clean(dir)+"/"); ok {
		return rest
	}
	return name
}

// slashed returns a path with slashes, as those of Windows have not.
func slashed(p []byte) string {
	s := string(p)
	if windows(s) || strings.HasPrefix(s, `.\`) || strings.HasPrefix(s, `..\`) {
		return strings.ReplaceAll(s, `\`, "/")
	}
	return s
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || windows(p) }

// windows reports whether a path begins with a drive.
func windows(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}
