package tenant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// group is a control group (cgroup v2) for one worker: the system holds its
// memory and CPU, those of all processes that the worker starts included. It
// is an extra to what the supervisor does, where the system lets us make one.
type group struct{ dir string }

const cgroups = "/sys/fs/cgroup"

// cpuPeriod is the time within which CPU time is counted, in microseconds.
const cpuPeriod = 100_000

// newGroup makes a group below the one of this process, with at most memory
// bytes, and cpus CPUs if that is not 0. The error says why there is none.
func newGroup(memory uint64, cpus float64) (*group, error) {
	own, err := ownGroup()
	if err != nil {
		return nil, err
	}
	g := &group{filepath.Join(own, fmt.Sprintf("wasmill-%d", os.Getpid()))}
	if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("control groups cannot be made: %w", err)
	}
	if err := g.limit(own, memory, cpus); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// ownGroup returns the directory of this process's group.
func ownGroup() (string, error) {
	if _, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers")); err != nil {
		return "", fmt.Errorf("no cgroup v2 at %s: %w", cgroups, err)
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return filepath.Join(cgroups, path), nil
		}
	}
	return "", errors.New("this process is in no cgroup v2")
}

// limit writes the limits, after it has asked own to hand the controllers
// down, which the system refuses if processes are in own, but for the root.
func (g *group) limit(own string, memory uint64, cpus float64) error {
	values := map[string]string{"memory.max": strconv.FormatUint(memory, 10)}
	if cpus > 0 {
		values["cpu.max"] = fmt.Sprintf("%d %d", int64(cpus*cpuPeriod), cpuPeriod)
	}
	for name, value := range values {
		path := filepath.Join(g.dir, name)
		if _, err := os.Stat(path); err != nil {
			controller, _, _ := strings.Cut(name, ".")
			if err := os.WriteFile(filepath.Join(own, "cgroup.subtree_control"), []byte("+"+controller), 0); err != nil {
				return fmt.Errorf("the %s controller is not delegated: %w", controller, err)
			}
		}
		if err := os.WriteFile(path, []byte(value), 0); err != nil {
			return err
		}
	}
	return nil
}

// add moves a process into the group.
func (g *group) add(pid int) error {
	return os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// close removes the group, whose processes must have ended.
func (g *group) close() error {
	if err := os.Remove(g.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
