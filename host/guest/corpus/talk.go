package corpus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero/sys"
)

// talk is a conversation by lines with a guest that runs in a goroutine of its
// own: a question on its standard input, an answer on its standard output. The
// guest's ends of both pipes are closed when it has ended.
type talk struct {
	in        *io.PipeReader // the guest's
	questions *io.PipeWriter
	answers   *bufio.Reader
	out       *io.PipeWriter // the guest's
	stderr    tail           // to be read when the guest has ended

	group sync.WaitGroup
	err   error // why the guest ended, nil if by itself; as stderr
}

func newTalk() *talk {
	t := &talk{}
	t.in, t.questions = io.Pipe()
	answers, out := io.Pipe()
	t.answers, t.out = bufio.NewReader(answers), out
	return t
}

// run starts the guest, which main is.
func (t *talk) run(main func() error) {
	t.group.Go(func() {
		err := main()
		if exit := (*sys.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 0 {
			err = nil
		}
		t.err = err
		ended := io.ErrUnexpectedEOF
		t.in.CloseWithError(ended)
		t.out.CloseWithError(ended)
	})
}

// ask has n rounds of a workload done. When ctx ends the guest is told that
// there is nothing more to read or write, so every later call fails.
func (t *talk) ask(ctx context.Context, w Workload, n int) (uint32, error) {
	stop := context.AfterFunc(ctx, func() {
		t.questions.CloseWithError(ctx.Err())
		t.out.CloseWithError(ctx.Err())
	})
	defer stop()
	_, err := fmt.Fprintf(t.questions, "%s %d\n", w, n)
	if err == nil {
		var line string
		if line, err = t.answers.ReadString('\n'); err == nil {
			sum, err := strconv.ParseUint(strings.TrimSpace(line), 10, 32)
			return uint32(sum), err
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return 0, errors.Join(err, t.end())
}

// end tells the guest that there are no more questions, waits for it, and
// returns why it ended.
func (t *talk) end() error {
	t.questions.Close()
	t.group.Wait()
	if t.err != nil {
		return fmt.Errorf("%w; standard error: %s", t.err, t.stderr.text)
	}
	return nil
}

// output is the guest's end of the pipe of answers. Interpreters flush by
// writing nothing, for which a pipe would wait for a reader.
type output struct{ pipe *io.PipeWriter }

func (o output) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return o.pipe.Write(p)
}

// tail keeps the last 4 KiB that are written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4<<10):]
	return len(p), nil
}
