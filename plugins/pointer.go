package plugins

// IsPointer reports whether s is a JSON Pointer (RFC 6901): empty, or names
// that each follow a slash, in which a tilde stands before 0 or 1 only. It is
// for the Check of fields that hold one, and for the keys of a job.
func IsPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}
