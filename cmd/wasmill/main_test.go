package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/compile"
)

// beEnv makes this test binary be wasmill, so that tests drive it as the
// child process that a user starts.
const beEnv = "WASMILL_TEST_BE_WASMILL"

// cacheEnv says where the children keep what they build and compile.
const cacheEnv = "WASMILL_TEST_CACHE"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // children end at once under the race detector too
	if compile.Main(context.Background()) {
		return
	}
	if os.Getenv(beEnv) != "" {
		main()
	}
	cache, err := os.MkdirTemp("", "wasmill-test-cache-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv(cacheEnv, cache)
	code := m.Run()
	if err := os.RemoveAll(cache); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
