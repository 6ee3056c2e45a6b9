package tenant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestGroup_LimitsWhatIsInIt(t *testing.T) {
	g, err := newGroup(64<<20, 0.5)
	if err != nil {
		t.Skipf("the system lets this process make no control group: %v", err)
	}
	c := exec.CommandContext(t.Context(), "sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.add(c.Process.Pid); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"memory.max": "67108864", "cpu.max": "50000 100000"} {
		if b, err := os.ReadFile(filepath.Join(g.dir, name)); err != nil || strings.TrimSpace(string(b)) != want {
			t.Errorf("%s is %q, %v, want %s", name, b, err, want)
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	for range 2 {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(g.dir); err == nil {
		t.Error("the group is left")
	}
}

// A directory stands in for a group here: what is written is looked at, not
// what it does.
func TestGroup_WritesItsLimits(t *testing.T) {
	own := t.TempDir()
	g := &group{filepath.Join(own, "w")}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"memory.max": "1048576", "cpu.max": "150000 100000", "cgroup.procs": "17"}
	for name := range want {
		if err := os.WriteFile(filepath.Join(g.dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.limit(own, 1<<20, 1.5), g.add(17)); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if b, err := os.ReadFile(filepath.Join(g.dir, name)); err != nil || string(b) != value {
			t.Errorf("%s is %q, %v, want %s", name, b, err, value)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(g.dir, "memory.max")), os.Mkdir(filepath.Join(own, "cgroup.subtree_control"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := g.limit(own, 1<<20, 0); err == nil || !strings.Contains(err.Error(), "the memory controller is not delegated") {
		t.Errorf("error %v", err)
	}
}
