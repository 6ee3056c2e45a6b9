package guests_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/build"
)

// language is an SDK, whose conformance program is what is measured: the same
// cases, written as a user of that SDK writes them.
type language struct {
	name string // of the directory, and in the names of benchmarks
	once func() (*step, error)
	*step
}

// step is what a language's tools made of its program.
type step struct {
	wasm []byte        // a module, or an archive
	took time.Duration // with nothing built before
}

var languages = []*language{program("rust"), program("c"), program("as"), program("go"), program("ts"), program("python")}

func program(name string) *language {
	return &language{name: name, once: sync.OnceValues(func() (*step, error) { return buildAnew(name) })}
}

// buildAnew builds a program into an empty cache.
func buildAnew(name string) (*step, error) {
	dir := filepath.Join("..", "..", "conformance", "guests", name)
	cache, err := os.MkdirTemp("", "wasmill-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(cache)
	began := time.Now()
	s, err := build.Build(context.Background(), dir, build.Options{CacheDir: cache})
	if err != nil {
		return nil, err
	}
	return &step{s.Bytes, time.Since(began)}, nil
}

// built returns all languages, their programs built.
func built(b *testing.B) []*language {
	b.Helper()
	for _, l := range languages {
		made, err := l.once()
		if err != nil {
			b.Fatal(err)
		}
		l.step = made
	}
	return languages
}
