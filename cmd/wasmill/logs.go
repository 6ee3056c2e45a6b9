package main

import (
	"bytes"
	"log/slog"
)

// newLogger returns a logger that writes lines above the progress. Level
// "auto" is warn where progress is drawn, info elsewhere.
func newLogger(scr *screen, level string) *slog.Logger {
	l := slog.LevelInfo
	switch {
	case level == "debug":
		l = slog.LevelDebug
	case level == "warn", level == "auto" && scr.term:
		l = slog.LevelWarn
	case level == "error":
		l = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(scr, &slog.HandlerOptions{Level: l}))
}

// debugLines is a writer that logs what it gets at the level debug.
type debugLines struct{ log *slog.Logger }

func (d debugLines) Write(p []byte) (int, error) {
	d.log.Debug(string(bytes.TrimSpace(p)))
	return len(p), nil
}
