package guests_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// child is a process that does a case natively: testdata/native/README.md says
// how it is talked to.
type child struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

// startChild starts a command over n records of a case. It ends with the
// benchmark.
func startChild(b *testing.B, name string, command []string, c *kase, n int) *child {
	b.Helper()
	files := c.files(b, n)
	cmd := exec.CommandContext(b.Context(), command[0], append(command[1:], files...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // the process ends with its input
		if err := cmd.Wait(); err != nil && b.Context().Err() == nil {
			b.Errorf("%s: %v", name, err)
		}
	})
	return &child{name, in, bufio.NewReader(out)}
}

// files writes what a child gets: the payload of init, a frame, and values.
func (c *kase) files(b *testing.B, n int) (paths []string) {
	b.Helper()
	var values strings.Builder
	for i := range n {
		values.WriteString(c.value(i) + "\n")
	}
	dir := b.TempDir()
	for name, text := range map[string][]byte{
		"1-init.json":  c.payload(),
		"2-frame":      c.batch(n).AppendFrame(nil),
		"3-values.txt": []byte(values.String()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*")) // in order
	if err != nil {
		b.Fatal(err)
	}
	return paths
}

// ask writes a line to the child and returns the line that it answers with.
func (c *child) ask(b *testing.B, line string) string {
	b.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		b.Fatalf("%s: %v", c.name, err)
	}
	answer, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatalf("%s: %v", c.name, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// once returns what n batches take.
func (c *child) once(b *testing.B, n int) time.Duration {
	b.Helper()
	ns, err := strconv.ParseInt(c.ask(b, strconv.Itoa(n)), 10, 64)
	if err != nil {
		b.Fatalf("%s: %v", c.name, err)
	}
	return time.Duration(ns)
}
