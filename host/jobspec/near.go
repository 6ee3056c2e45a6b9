package jobspec

import (
	"fmt"
	"strings"
)

// suggest returns the end of a fault about an unknown name: the known one
// that it is close to, else all of them if they are few, else nothing.
func suggest(name string, known []string) string {
	if n := near(name, known); n != "" {
		return fmt.Sprintf(hintNear, n)
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	return fmt.Sprintf(hintKnown, list(known, "and"))
}

// near returns the name of known that is closest to name, "" if none is close:
// at most two slips of the pen away, one for a short name.
func near(name string, known []string) string {
	best, least := "", 3
	if len(name) < 4 {
		least = 2
	}
	for _, k := range known {
		if d := slips(name, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// slips is the Damerau-Levenshtein distance between a and b, in which a
// character is not moved twice; at most limit.
func slips(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return min(row[len(b)], limit)
}

// list joins words with commas, and the last with a word.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
