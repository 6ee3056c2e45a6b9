package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// count returns n with its digits in groups of three: 1,234,567.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := len(s) % 3
	if strings.HasPrefix(s, "-") {
		first = (len(s)-1)%3 + 1
	}
	var b strings.Builder
	b.WriteString(s[:first])
	for i := first; i < len(s); i += 3 {
		if i > 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteString(s[i : i+3])
	}
	return b.String()
}

// plural returns n and a word in the number that it takes.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// size returns bytes with a binary unit: 3.4 MiB.
func size(n int64) string {
	units := [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n) / 1024
	i := 0
	for v >= 1023.95 && i < len(units)-1 {
		v /= 1024
		i++
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// seconds returns a duration as people read it: 0.31 s, 4.2 s, 3m12s.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// shown returns a path relative to the working directory if it is below it,
// and quoted if a terminal could not show it as it is.
func shown(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return quoted(path)
}

// quoted returns s, quoted if it is not printable UTF-8.
func quoted(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
