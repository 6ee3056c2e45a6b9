package main

import (
	"context"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/compile"
)

// beEnv makes this test binary be wasmill, so that tests drive it as the
// child process that a user starts.
const beEnv = "WASMILL_TEST_BE_WASMILL"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // children end at once under the race detector too
	if compile.Main(context.Background()) {
		return
	}
	if os.Getenv(beEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}
