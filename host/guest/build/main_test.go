package build_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build/buildtest"
)

func TestMain(m *testing.M) {
	if err := buildtest.Use(); err != nil {
		fmt.Fprintln(os.Stderr, "tests of languages take what is in PATH:", err)
	}
	os.Exit(m.Run())
}
