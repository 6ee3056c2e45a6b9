package main

import (
	"os"
	"testing"
)

// beEnv makes this test binary be wasmill, so that tests drive it as the
// child process that a user starts.
const beEnv = "WASMILL_TEST_BE_WASMILL"

func TestMain(m *testing.M) {
	if os.Getenv(beEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}
