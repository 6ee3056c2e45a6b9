package compile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// errTimeout is the cause of a compilation's end by Options.Timeout.
var errTimeout = errors.New("time is over")

// run compiles wasm in a child that leaves the entry below dir.
func (o *Options) run(ctx context.Context, wasm []byte, dir string) (entry, error) {
	sum := sha256.Sum256(wasm)
	q := request{
		Config: o.Config, Dir: dir, Memory: o.Memory, Size: int64(len(wasm)), SHA256: hex.EncodeToString(sum[:]),
		CPU: o.cpu(),
	}
	var in bytes.Buffer
	if err := write(&in, q); err != nil {
		return entry{}, fmt.Errorf("starting the compiler: %w", err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, patience*o.Timeout, errTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, o.Command[0], append(o.Command[1:len(o.Command):len(o.Command)], argument)...)
	out, complaint := &head{most: len(magic) + 4 + maxDocument}, &head{most: 4 << 10}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.MultiReader(&in, bytes.NewReader(wasm)), out, complaint
	cmd.Env = environment()
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second // for pipes that somebody else holds

	// The system kills the child when the thread that started it ends, so
	// that thread stays.
	runtime.LockOSThread()
	ran := cmd.Run()
	runtime.UnlockOSThread()

	var a answer
	switch err := read(&out.buf, &a); {
	case ctx.Err() != nil:
		return entry{}, ctx.Err()
	case ran != nil || err != nil:
		return entry{}, o.died(context.Cause(limited), ran, cmd.ProcessState, complaint.buf.String())
	case outOfMemory(a.Module):
		return entry{}, o.tooLarge()
	case a.Module != "":
		return entry{}, &ModuleError{a.Module}
	case a.Host != "":
		return entry{}, errors.New(a.Host)
	case !entryName.MatchString(a.Entry.Name):
		return entry{}, fmt.Errorf("the compiler named its entry %q", a.Entry.Name)
	}
	return a.Entry, nil
}

// cpu returns the CPU time that a child may use, of all threads, in seconds.
func (o *Options) cpu() uint64 { return uint64((o.Timeout + time.Second - 1) / time.Second) }

// patience is how many times its CPU time a child may take on a machine that
// is busy with other work.
const patience = 5

func (o *Options) tooLarge() error {
	return &ModuleError{fmt.Sprintf("compiling took more than %d MiB of memory: it is too large for the compiler", o.Memory>>20)}
}

// outOfMemory reports whether a text of the Go runtime or of the compiler
// says that the system gave no memory.
func outOfMemory(text string) bool {
	for _, words := range []string{"out of memory", "cannot allocate", "failed to allocate", "pthread_create failed"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// coarse is by how much the system's two counts of CPU time, the one that ends
// a process and the one that is reported of it, differ on a busy machine.
const coarse = 200 * time.Millisecond

// died says why a child ended without an answer. It printed complaint.
func (o *Options) died(cause, ran error, state *os.ProcessState, complaint string) error {
	if state == nil {
		return fmt.Errorf("starting the compiler %s: %w", o.Command[0], ran)
	}
	how, _ := state.Sys().(syscall.WaitStatus)
	used, cpu := state.UserTime()+state.SystemTime(), time.Duration(o.cpu())*time.Second
	switch {
	case errors.Is(cause, errTimeout), how.Signaled() && used >= cpu-cpu/10-coarse:
		return &ModuleError{fmt.Sprintf("compiling took more than %v of CPU time: it has functions that are too large or nested too deeply for the compiler", cpu)}
	case outOfMemory(complaint), strings.HasPrefix(complaint, "SIG"):
		// Of a signal Go says only this much if it came outside of Go code.
		// The C library is all that runs there, and it starts threads: it
		// fails so when it gets no memory.
		return o.tooLarge()
	case how.Signaled():
		return fmt.Errorf("the compiler was ended by signal %q; if the system killed it for want of memory, free some or compile fewer modules at once", how.Signal())
	case strings.Contains(complaint, "fatal error: "):
		_, what, _ := strings.Cut(complaint, "fatal error: ")
		what, _, _ = strings.Cut(what, "\n")
		return &ModuleError{fmt.Sprintf("the compiler failed: %s", what)}
	}
	first, _, _ := strings.Cut(complaint, "\n")
	return fmt.Errorf("%s does not compile modules (%v, %q): its main must begin with compile.Main", o.Command[0], state, first)
}

// environment returns what of the environment is for the Go runtime of a
// child; nothing else of it is its business.
func environment() []string {
	env := []string{"GOTRACEBACK=none", "GORACE=atexit_sleep_ms=0"} // the latter: of tests
	for _, name := range []string{"GOMAXPROCS", "GODEBUG", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// head is a writer that keeps the first bytes that it gets.
type head struct {
	buf  bytes.Buffer
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.buf.Write(p[:min(len(p), h.most-h.buf.Len())])
	return len(p), nil
}
