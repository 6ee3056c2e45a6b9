package main

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results is what `go test -bench` has printed, of any number of packages and runs.
type results struct {
	machine string                          // goos/goarch, cpu, number of threads
	metrics map[string]map[string][]float64 // by benchmark, then by unit: a value a run
}

// threads ends the name of a benchmark: GOMAXPROCS, left out where it is 1.
var threads = regexp.MustCompile(`-(\d+)$`)

// parse reads results. A benchmark is known by its package below the module
// and its name, as in "bench.Loop/guest=wasm". Lines of another form are
// passed over.
func parse(r io.Reader) (*results, error) {
	res := &results{metrics: map[string]map[string][]float64{}}
	about := map[string]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ": ")
		if ok && slices.Contains([]string{"goos", "goarch", "cpu", "pkg"}, key) {
			about[key] = strings.TrimSpace(value)
			continue
		}
		name, ok := strings.CutPrefix(lines.Text(), "Benchmark")
		if f := strings.Fields(name); ok && len(f) >= 4 {
			about["threads"] = "1"
			if n := threads.FindStringSubmatch(f[0]); n != nil {
				f[0], about["threads"] = strings.TrimSuffix(f[0], n[0]), n[1]
			}
			res.add(strings.TrimPrefix(about["pkg"], "github.com/wasmill/wasmill/")+"."+f[0], f[2:])
		}
	}
	res.machine = about["goos"] + "/" + about["goarch"] + ", " + about["cpu"] + ", GOMAXPROCS=" + about["threads"]
	return res, lines.Err()
}

// add takes the pairs of a value and its unit.
func (r *results) add(name string, pairs []string) {
	for ; len(pairs) >= 2; pairs = pairs[2:] {
		v, err := strconv.ParseFloat(pairs[0], 64)
		if err != nil {
			return
		}
		if r.metrics[name] == nil {
			r.metrics[name] = map[string][]float64{}
		}
		r.metrics[name][pairs[1]] = append(r.metrics[name][pairs[1]], v)
	}
}

// spread is what the runs of a benchmark came to.
type spread struct{ min, median, max float64 }

func (s spread) times(k float64) spread { return spread{s.min * k, s.median * k, s.max * k} }

// get returns a metric, false if there is none.
func (r *results) get(name, unit string) (spread, bool) {
	all := slices.Sorted(slices.Values(r.metrics[name][unit]))
	n := len(all)
	if n == 0 {
		return spread{}, false
	}
	return spread{all[0], (all[(n-1)/2] + all[n/2]) / 2, all[n-1]}, true
}
