package main

import (
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	tests := []struct{ got, want string }{
		{count(0), "0"},
		{count(999), "999"},
		{count(1000), "1,000"},
		{count(1234567), "1,234,567"},
		{count(-1), "-1"},
		{count(-123), "-123"},
		{count(-1234), "-1,234"},
		{count(-123456), "-123,456"},
		{plural(1, "file", "files"), "1 file"},
		{plural(2000, "file", "files"), "2,000 files"},
		{size(0), "0 B"},
		{size(1023), "1023 B"},
		{size(1024), "1.0 KiB"},
		{size(1<<20 - 1), "1.0 MiB"},
		{size(3 << 29), "1.5 GiB"},
		{seconds(310 * time.Millisecond), "0.31 s"},
		{seconds(4200 * time.Millisecond), "4.2 s"},
		{seconds(192 * time.Second), "3m12s"},
		{quoted("plain/path"), "plain/path"},
		{quoted("a\xff"), `"a\xff"`},
		{quoted("a\x1b[31m"), `"a\x1b[31m"`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
