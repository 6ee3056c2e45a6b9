package jobspec_test

import (
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/jobspec"
)

func TestParseSize_Units(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "12B": 12, "64KiB": 64 << 10, "64 MiB": 64 << 20, "1GiB": 1 << 30, "2TiB": 2 << 40,
		"5kB": 5000, "5KB": 5000, "10MB": 10_000_000, "3GB": 3_000_000_000, "1TB": 1_000_000_000_000,
		"9223372036854775807": 1<<63 - 1, "8388607TiB": 8388607 << 40,
	} {
		if got, err := jobspec.ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "MiB", "-1", "+1", "1.5MiB", "64M", "64mib", "64  MiB", " 64MiB", "64MiB ", "1e6", "1_000", "0x10",
		"9223372036854775808", "8388608TiB", "٣MiB",
	} {
		if got, err := jobspec.ParseSize(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestParseDuration_Units(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "7ns": 7, "7us": 7000, "7µs": 7000, "100ms": 100 * time.Millisecond, "2s": 2 * time.Second,
		"5m": 5 * time.Minute, "3h": 3 * time.Hour, "7d": 168 * time.Hour, "1h30m": 90 * time.Minute,
		"1d2h3m4s5ms": 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond,
	} {
		if got, err := jobspec.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "1", "s", "-1s", "+1s", "1.5s", "1 s", "1h 30m", "1w", "1h30", "1S", "200000d", "106751d23h47m16s854ms775us808ns",
	} {
		if got, err := jobspec.ParseDuration(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestParseRate_Units(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500ms/s": 500 * time.Millisecond, "2s/s": 2 * time.Second, "1s500ms/s": 1500 * time.Millisecond, "1ms/s": time.Millisecond,
		"500ms": 0, "500ms/m": 0, "0/s": 0, "999us/s": 0, "/s": 0, "-1s/s": 0, "0.5/s": 0, "9999999h/s": 0,
	} {
		got, err := jobspec.ParseRate(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("ParseRate(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestFormat_IsReadBack(t *testing.T) {
	for _, n := range []int64{0, 1, 1023, 1024, 1 << 20, 64 << 20, 3 << 30, 1<<40 + 1024, 1<<63 - 1} {
		text := jobspec.FormatSize(n)
		if got, err := jobspec.ParseSize(text); err != nil || got != n {
			t.Errorf("%d is written %s, read as %d, %v", n, text, got, err)
		}
	}
	for _, d := range []time.Duration{0, 1, 999, time.Microsecond, 90 * time.Minute, 7 * 24 * time.Hour, 1<<63 - 1} {
		text := jobspec.FormatDuration(d)
		if got, err := jobspec.ParseDuration(text); err != nil || got != d {
			t.Errorf("%d is written %s, read as %d, %v", d, text, got, err)
		}
	}
	if got := jobspec.FormatDuration(90 * time.Minute); got != "1h30m" {
		t.Errorf("90 minutes are written %s", got)
	}
}
