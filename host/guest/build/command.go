package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// command is a run of a compiler or of one of its companions.
type command struct {
	name string   // as errors say it: "go build"
	dir  string   // where it runs
	args []string // the program first
	env  []string // on top of the user's
}

// run runs the command. If it fails the error is a *failure with what the
// command printed.
func (c command) run(ctx context.Context) error {
	cmd := c.start(ctx)
	text, err := cmd.CombinedOutput()
	return c.fault(ctx, err, text)
}

// output runs the command and returns its standard output. If it fails the
// error is a *failure with what the command printed to standard error.
func (c command) output(ctx context.Context) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := c.start(ctx)
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	return text, c.fault(ctx, err, stderr.Bytes())
}

func (c command) start(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...) // of two values the later counts
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func (c command) fault(ctx context.Context, err error, text []byte) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &failure{c.name, c.dir, err, string(bytes.TrimSpace(text))}
}

// failure is a command that ended in failure.
type failure struct {
	name, dir string
	err       error
	text      string // what it printed
}

// Error has the first 16 KiB of what the command printed.
func (f *failure) Error() string {
	return fmt.Sprintf("build: %s in %s: %v\n%s", f.name, f.dir, f.err, shorten(f.text))
}

func (f *failure) Unwrap() error { return f.err }

// printed returns what the command printed that failed with err.
func printed(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.text
	}
	return ""
}

func shorten(text string) string {
	const most = 16 << 10
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s\n… and %d bytes more", strings.ToValidUTF8(text[:most], ""), len(text)-most)
}

// findTool returns the path of a program: the one that an environment variable
// names, else the first of the names that is in PATH. "" if there is none.
func findTool(variable string, names ...string) string {
	if name := os.Getenv(variable); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
