package host_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// fixture is a directory with a job in it: job.yaml, whatever the job reads,
// and what its runs leave.
type fixture struct {
	t   testing.TB
	dir string
	log syncBuffer // what the runs logged, a line of text each
}

func newFixture(t testing.TB) *fixture { return &fixture{t: t, dir: t.TempDir()} }

func (f *fixture) path(name string) string { return filepath.Join(f.dir, name) }

// write writes a file; its directory is made.
func (f *fixture) write(name, content string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// options are those of a run of job.yaml with values set.
func (f *fixture) options(set ...string) host.Options {
	reg := new(plugins.Registry)
	file.Register(reg, io.Discard)
	return host.Options{
		File: f.path("job.yaml"), Registry: reg, Overrides: jobspec.Overrides{Set: set, WorkDir: f.dir},
		CacheDir: f.path("cache"), Log: slog.New(slog.NewTextHandler(&f.log, nil)),
	}
}

// lines returns the lines of all files of a sink, sorted. Anything that is
// not a finished file of the sink is an error.
func (f *fixture) lines(sink string) []string {
	f.t.Helper()
	entries, err := os.ReadDir(f.path(sink))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "part-") {
			f.t.Errorf("left in %s: %s", sink, e.Name())
		}
		b, err := os.ReadFile(filepath.Join(f.path(sink), e.Name()))
		if err != nil {
			f.t.Fatal(err)
		}
		if len(b) > 0 && b[len(b)-1] != '\n' {
			f.t.Errorf("%s/%s ends in the middle of a line", sink, e.Name())
		}
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			all = append(all, lines.Text())
		}
	}
	slices.Sort(all)
	return all
}

// letter is a dead letter as a file sink writes it.
type letter struct {
	Value   string            `json:"value"`
	Headers map[string]string `json:"headers"`
}

func (f *fixture) letters(sink string) []letter {
	f.t.Helper()
	var all []letter
	for _, line := range f.lines(sink) {
		var l letter
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			f.t.Fatalf("%v: %s", err, line)
		}
		all = append(all, l)
	}
	return all
}

// syncBuffer is a buffer that many goroutines may write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// peakMemory returns the most memory that this process has had, in MiB. What
// the system tells the parent of a process includes the parent's own.
func peakMemory() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0, errors.New("no VmHWM in /proc/self/status")
	}
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	return kib >> 10, err
}
