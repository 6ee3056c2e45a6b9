//go:build unix

package bench_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host"
	compiler "github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// childVariable makes the test binary a process that begins word-count in the
// directory it names and tells when.
const childVariable = "WASMILL_BENCH_START"

func TestMain(m *testing.M) {
	if compiler.Main(context.Background()) {
		return
	}
	if dir := os.Getenv(childVariable); dir != "" {
		if err := start(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// wordCount are the options of the example with state and output in dir.
func wordCount(dir string, set ...string) host.Options {
	reg := new(plugins.Registry)
	file.Register(reg, io.Discard)
	set = append([]string{"sinks.out.file.path=" + filepath.Join(dir, "out")}, set...)
	return host.Options{
		File: "../examples/word-count/job.yaml", Registry: reg,
		Overrides: jobspec.Overrides{Set: set, StateDir: filepath.Join(dir, "state")},
	}
}

// start runs word-count up to its first batch and prints the time of that, in
// nanoseconds since 1970.
func start(dir string) error {
	o := wordCount(dir)
	var job *host.Job
	var once sync.Once
	o.Hooks.Read = func(int) {
		once.Do(func() {
			fmt.Println(time.Now().UnixNano())
			job.Stop()
		})
	}
	ctx := context.Background()
	job, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	_, err = job.Run(ctx)
	return errors.Join(err, job.Close())
}

// BenchmarkStart measures from the start of a process to the first batch that
// word-count reads, with its modules built and compiled.
func BenchmarkStart(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	one := func() time.Duration {
		c := exec.CommandContext(b.Context(), exe)
		c.Env = append(os.Environ(), childVariable+"="+b.TempDir())
		c.Stderr = os.Stderr
		began := time.Now()
		out, err := c.Output()
		if err != nil {
			b.Fatal(err)
		}
		first, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return time.Duration(first - began.UnixNano())
	}
	one() // builds and compiles what is not cached
	var all []time.Duration
	for b.Loop() {
		all = append(all, one())
	}
	slices.Sort(all)
	b.ReportMetric(0, "ns/op") // of no meaning: it includes the end of the process
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "ms-worst")
}
