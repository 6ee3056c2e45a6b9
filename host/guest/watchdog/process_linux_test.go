package watchdog_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// ownThread tells whether the dog is a thread outside the Go scheduler.
const ownThread = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// busy keeps the dog looking until the test ends.
func busy(t *testing.T) {
	t.Helper()
	flag := new(uint64)
	s := slot(t, flag)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		s.Begin(time.Hour)
		<-done
		s.End()
	})
	t.Cleanup(func() { close(done); wg.Wait() })
}

func TestDog_TakesNoSignals(t *testing.T) {
	busy(t)
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	defer signal.Stop(got)
	for i := range 1000 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		select {
		case <-got:
		case <-time.After(30 * time.Second):
			t.Fatalf("signal %d was lost", i)
		}
	}
}

func TestDog_LetsProgramsStart(t *testing.T) {
	busy(t)
	for range 20 {
		if out, err := exec.CommandContext(t.Context(), "/bin/echo", "fine").CombinedOutput(); err != nil || string(out) != "fine\n" {
			t.Fatalf("output %q, error %v", out, err)
		}
	}
}

// All signals are blocked on the dog's thread; Go's handlers would find no
// goroutine there. SIGBUS, SIGSEGV and the two of the C library are left out:
// an emulator keeps them for itself.
func TestDog_BlocksAllSignals(t *testing.T) {
	if !ownThread {
		t.Skip("here the dog is no thread")
	}
	dog(t)
	names, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if comm, err := os.ReadFile(name); err != nil || string(comm) != "watchdog\n" {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "SigBlk:\t")
		word, _, _ := strings.Cut(rest, "\n")
		blocked, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		for sig := 1; sig <= 64; sig++ {
			switch syscall.Signal(sig) {
			case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGBUS, syscall.SIGSEGV, 32, 33:
			default:
				if blocked>>(sig-1)&1 == 0 {
					t.Errorf("signal %d is not blocked", sig)
				}
			}
		}
		return
	}
	t.Fatalf("none of %d threads is called watchdog", len(names))
}

// ends is the variable that makes this test binary start a dog and end.
const ends = "WASMILL_TEST_WATCHDOG_ENDS"

func TestDog_LetsTheProcessEnd(t *testing.T) {
	if how := os.Getenv(ends); how != "" {
		d, err := watchdog.Shared()
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Slot(new(uint64))
		if err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread()
		s.Begin(time.Hour)
		switch how {
		case "exit":
			os.Exit(7)
		case "exec":
			t.Error(syscall.Exec("/bin/true", []string{"true"}, nil))
		}
		return
	}
	for how, code := range map[string]int{"return": 0, "exit": 7, "exec": 0} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDog_LetsTheProcessEnd$", "-test.timeout=60s")
		cmd.Env = append(os.Environ(), ends+"="+how)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("this machine does not run the test's own binary without an emulator")
		}
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%s: exit code %d, want %d: %v\n%s", how, got, code, err, out)
		}
	}
}
