package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/wasmill/wasmill/host/guest/compile"
)

// children are what this binary does as a child process, by name: a test
// that kills a job runs it in one.
var children = map[string]func(args []string) error{}

const childEnv = "WASMILL_TEST_CHILD"

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child returns the command that runs a child; its standard error is the test's.
func child(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	if children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), childEnv+"="+name)
	c.Stderr = os.Stderr
	return c
}
