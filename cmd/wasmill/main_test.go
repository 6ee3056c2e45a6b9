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
	if compile.Main(context.Background()) {
		return
	}
	if os.Getenv(beEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}
