package conformance_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

// languages are those that have an SDK: a directory each in guests.
var languages = []string{"rust", "python", "go", "c", "ts", "as"}

// selected returns the languages that -sdk asks for: all, unless tests are to
// be short, for compiling an interpreter with the race detector takes minutes.
func selected() []string {
	switch {
	case *sdk != "":
		return []string{*sdk}
	case testing.Short():
		return []string{"go", "c"}
	}
	return languages
}

// program returns the path of a language's conformance program.
func program(t *testing.T, language string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("guests", language))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// built builds a language's conformance program.
func built(t *testing.T, language string) *build.Step {
	t.Helper()
	step, err := build.Build(t.Context(), program(t, language), build.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// The engine that all tests share.
var (
	engineOnce sync.Once
	engine     *guest.Engine
	engineErr  error
)

// compiled compiles a step. It is closed at the end of the test.
func compiled(t *testing.T, name string, step []byte) guest.Module {
	t.Helper()
	engineOnce.Do(func() {
		engine, engineErr = guest.NewEngine(context.Background(), guest.EngineOptions{Interpreter: build.Interpreter})
	})
	if engineErr != nil {
		t.Fatal(engineErr)
	}
	m, err := engine.Compile(t.Context(), step, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return m
}

func closeEngine() error {
	if engine == nil {
		return engineErr
	}
	return errors.Join(engineErr, engine.Close(context.Background()))
}
