//go:build !unix

package cachedir

import "io/fs"

// foreign reports whether a file belongs to another user. Here the user's
// cache directory is one that others may not write to.
func foreign(fs.FileInfo) bool { return false }
