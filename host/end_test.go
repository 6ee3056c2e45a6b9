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
	"github.com/wasmill/wasmill/host/epoch"
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

// The child "end" counts the words in a directory. Once an epoch is committed
// that holds the records that count had sent out when that number was kill or
// more, it kills itself at the given point of the next commit; it comes to its
// end if kill is 0.
func init() {
	children["end"] = func(args []string) error {
		o := endOptions(args[0])
		kill, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return err
		}
		point := epoch.Point(args[2])
		var job *host.Job
		var out int64    // sent out in this run when the last epoch was committed, and so in the next
		var reached bool // an epoch with kill records is committed
		o.Hooks.Decided = func(uint64) {
			reached = out >= kill
			for _, s := range job.Status().Steps {
				if s.Name == "count" {
					out = s.Out
				}
			}
		}
		o.Hooks.At = func(p epoch.Point) error {
			if kill > 0 && reached && p == point {
				syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
			}
			return nil
		}
		if job, err = host.Open(context.Background(), o); err != nil {
			return err
		}
		got, err := job.Run(context.Background())
		if err == nil && !got.Finished {
			err = fmt.Errorf("not finished: %+v", got)
		}
		return errors.Join(err, job.Close())
	}
}

// runEnd runs the child to its end if kill is 0, else until it has killed
// itself.
func runEnd(t *testing.T, dir string, kill int, point epoch.Point) {
	t.Helper()
	began := time.Now()
	c := child(t, "end", dir, strconv.Itoa(kill), string(point))
	err := c.Run()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if killed != (kill > 0) || !killed && err != nil {
		t.Fatalf("killed %v: %v", killed, err)
	}
	t.Logf("%d records, %q: %v, CPU %v", kill, point, time.Since(began).Round(time.Millisecond),
		(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Round(time.Millisecond))
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
		// A quarter leaves room for what two epochs hold at most.
		kill := 1 + rng.IntN((endWords-done)/4)
		runEnd(t, dir, kill, epoch.Points[rng.IntN(len(epoch.Points))])
		n := readEndWords(t, dir, false)
		if n < kill || n == endWords {
			t.Errorf("%d words of %d are out, %d before: that is not the middle", n, endWords, done)
		}
		done = n
	}
	runEnd(t, dir, 0, "")
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
