package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// childVariable names, in the environment, what the test binary is to do
// instead of running tests.
const childVariable = "WASMILL_TEST_CHILD"

var children = map[string]func(){}

// child registers what a process does that a test starts with childCommand,
// to kill it or to have memory and limits of its own:
//
//	var _ = child("name", func() { … })
//
// It exits with 0 when run returns.
func child(name string, run func()) struct{} {
	children[name] = run
	return struct{}{}
}

// childCommand returns the command of a child, with NAME=value pairs added to
// its environment. It is killed when ctx ends.
func childCommand(ctx context.Context, t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	if children[name] == nil {
		t.Fatalf("no child %q is registered", name)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(append(os.Environ(), childVariable+"="+name), env...)
	return cmd
}

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		run, ok := children[name]
		if !ok {
			fmt.Fprintf(os.Stderr, "%s=%s: no such child\n", childVariable, name)
			os.Exit(2)
		}
		run()
		os.Exit(0)
	}
	os.Exit(m.Run())
}
