package jobspec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var (
	errSize     = errors.New("not a size")
	errDuration = errors.New("not a duration")
	errRate     = errors.New("not CPU time a second")
)

// sizes are the units of a size.
var sizes = []struct {
	unit  string
	bytes int64
}{
	{"", 1}, {"B", 1},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// ParseSize reads a size in bytes: a whole number, alone or followed by KiB,
// MiB, GiB, TiB (powers of 1,024), kB, MB, GB or TB (powers of 1,000).
func ParseSize(s string) (int64, error) {
	number, unit := leadingDigits(s)
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, errSize
	}
	unit = strings.TrimPrefix(unit, " ")
	for _, u := range sizes {
		if u.unit != unit {
			continue
		}
		if n > math.MaxInt64/u.bytes {
			return 0, errSize
		}
		return n * u.bytes, nil
	}
	return 0, errSize
}

// nearSize returns the size that was likely meant by one with a unit that is
// not known, such as 64M, "" if none.
func nearSize(s string) string {
	number, unit := leadingDigits(s)
	if number == "" || unit == "" {
		return ""
	}
	unit = strings.ToUpper(strings.TrimSpace(unit))
	for _, u := range sizes {
		full := strings.ToUpper(u.unit)
		if strings.HasSuffix(full, "IB") && (unit == full || unit == full[:1]) {
			if near := number + u.unit; near != s {
				return near
			}
		}
	}
	return ""
}

// durations are the units of a duration.
var durations = []struct {
	unit string
	time time.Duration
}{
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// ParseDuration reads a duration: whole numbers, each with its unit ns, us,
// ms, s, m, h or d (24 hours), such as 100ms or 1h30m. A 0 needs no unit.
func ParseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	var sum time.Duration
	for rest := s; ; {
		number, after := leadingDigits(rest)
		end := strings.IndexFunc(after, func(r rune) bool { return r >= '0' && r <= '9' })
		if end < 0 {
			end = len(after)
		}
		one, ok := duration(number, after[:end])
		if !ok || sum > math.MaxInt64-one {
			return 0, errDuration
		}
		sum += one
		if rest = after[end:]; rest == "" {
			return sum, nil
		}
	}
}

// duration returns a number of a unit.
func duration(number, unit string) (time.Duration, bool) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, false
	}
	for _, u := range durations {
		if u.unit == unit {
			return time.Duration(n) * u.time, n <= math.MaxInt64/int64(u.time)
		}
	}
	return 0, false
}

// ParseRate reads CPU time a second: a duration of 1 ms or more and "/s",
// such as 500ms/s.
func ParseRate(s string) (time.Duration, error) {
	text, ok := strings.CutSuffix(s, "/s")
	if !ok {
		return 0, errRate
	}
	d, err := ParseDuration(text)
	if err != nil || d < time.Millisecond || d > maxRate {
		return 0, errRate
	}
	return d, nil
}

// maxRate is more than any machine has.
const maxRate = 10_000 * time.Second

// leadingDigits cuts s behind its leading digits.
func leadingDigits(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest
}

// FormatSize writes a size with the largest unit of 1,024 that divides it.
func FormatSize(n int64) string {
	for i := len(sizes) - 1; i >= 0; i-- {
		u := sizes[i]
		if strings.HasSuffix(u.unit, "iB") && n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// FormatDuration writes a duration as ParseDuration reads it.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	var b strings.Builder
	for i := len(durations) - 1; i >= 0; i-- {
		u := durations[i]
		if n := d / u.time; n > 0 && u.unit != "µs" {
			fmt.Fprintf(&b, "%d%s", n, u.unit)
			d -= n * u.time
		}
	}
	return b.String()
}
