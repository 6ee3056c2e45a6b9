package host_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host"
)

// The words of the test of a long end: endWords different ones of five
// letters, each seventh of them twice.
const (
	endWords   = 5_000_000
	endTwice   = 7
	endLetters = 5
	endSpace   = 26 * 26 * 26 * 26 * 26 // words of five letters
	endStep    = 7_368_787              // has no factor in common with 26, so that i*endStep mod endSpace does not repeat
)

// endWord appends the i-th word; neighbours have nothing in common.
func endWord(dst []byte, i int) []byte {
	n := i * endStep % endSpace
	for range endLetters {
		dst = append(dst, 'a'+byte(n%26))
		n /= 26
	}
	return dst
}

func writeEndWords(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for i := range endWords {
		line = append(endWord(line, i), ' ')
		if i%endTwice == 0 {
			line = append(endWord(line, i), ' ')
		}
		if i%16 == 15 || i == endWords-1 {
			line = append(line, '\n')
			w.Write(line) // Flush tells
			line = line[:0]
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

func endOptions(dir string) host.Options {
	return wordCount(dir, filepath.Join(dir, "words"), 2, "epoch=100ms", "limits.memory=64MiB")
}

// The child "end" counts the words and prints a line each time an epoch is
// committed: how many records count has sent out in this run.
func init() {
	children["end"] = func(args []string) error {
		o := endOptions(args[0])
		var job *host.Job
		o.Hooks.Decided = func(uint64) {
			for _, s := range job.Status().Steps {
				if s.Name == "count" {
					fmt.Println(s.Out)
				}
			}
		}
		var err error
		if job, err = host.Open(context.Background(), o); err != nil {
			return err
		}
		out, err := job.Run(context.Background())
		if err == nil && !out.Finished {
			err = fmt.Errorf("not finished: %+v", out)
		}
		return errors.Join(err, job.Close())
	}
}

// runEnd runs the child, and kills it once it has committed an epoch by which
// kill records have gone out, if kill is not 0. It reports whether it did.
func runEnd(t *testing.T, dir string, kill int) bool {
	t.Helper()
	began := time.Now()
	c := child(t, "end", dir)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killed, ending := false, time.Duration(0)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the child said %q", lines.Text())
		}
		if n > 0 && ending == 0 {
			ending = time.Since(began)
		}
		if kill > 0 && n >= kill && !killed {
			killed = true
			if err := c.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	err = c.Wait()
	var exit *exec.ExitError
	if err != nil && !(killed && errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL) {
		t.Fatal(err)
	}
	t.Logf("killed %v after %v, of which %v before end; CPU %v",
		err != nil, time.Since(began).Round(time.Millisecond), ending.Round(time.Millisecond),
		(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Round(time.Millisecond))
	return err != nil
}

func TestEnd_FiveMillionKeysThroughKill(t *testing.T) {
	if testing.Short() {
		t.Skip("counts five million words")
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	if err := writeEndWords(filepath.Join(dir, "words")); err != nil {
		t.Fatal(err)
	}
	done := 0
	for range 2 {
		if !runEnd(t, dir, 1+rng.IntN((endWords-done)/2)) {
			t.Fatal("the child came to its end before it was killed")
		}
		n := readEndWords(t, dir, false)
		if n == 0 || n == endWords {
			t.Errorf("%d words of %d are out: that is not the middle", n, endWords)
		}
		done = n
	}
	runEnd(t, dir, 0)
	if n := readEndWords(t, dir, true); n != endWords {
		t.Errorf("%d words are out, want %d", n, endWords)
	}
}

// readEndWords reads the output, in which each word may be once and with its
// count, and returns how many are there. Behind a kill a file may end in the
// middle of a line, which is the next run's to mend.
func readEndWords(t *testing.T, dir string, whole bool) (words int) {
	t.Helper()
	left := make([]byte, endSpace) // by word as a number: the count that it is to come with
	for i := range endWords {
		left[i*endStep%endSpace] = 1
		if i%endTwice == 0 {
			left[i*endStep%endSpace] = 2
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "out", "part-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			n, count, ok := parseEndWord(line)
			switch {
			case !ok && !whole && line[len(line)-1] != '\n':
			case !ok:
				t.Fatalf("%s: %q", path, line)
			case left[n] != count:
				t.Fatalf("%s: %q is there twice, with a wrong count, or not a word of the input", path, line)
			default:
				left[n] = 0
				words++
			}
		}
	}
	return words
}

// parseEndWord takes a line of the output apart: the word as a number, and
// its count, of one digit and never 0.
func parseEndWord(line []byte) (n int, count byte, ok bool) {
	const before, between = `{"word":"`, `","count":`
	rest, ok := bytes.CutPrefix(line, []byte(before))
	if !ok || len(rest) != endLetters+len(between)+len("1}\n") || string(rest[endLetters:endLetters+len(between)]) != between || string(rest[len(rest)-2:]) != "}\n" {
		return 0, 0, false
	}
	for i := endLetters - 1; i >= 0; i-- {
		if rest[i] < 'a' || rest[i] > 'z' {
			return 0, 0, false
		}
		n = n*26 + int(rest[i]-'a')
	}
	count = rest[len(rest)-3] - '0'
	return n, count, count > 0 && count < 10
}
