package main

import (
	"slices"
	"strings"
)

// figures are drawn in this order, each if all it needs is there.
var figures = []struct {
	file string
	make func(*results) (*chart, bool)
}{
	{"loop.svg", loop},
	{"wordcount.svg", wordCount},
	{"state.svg", stateOps},
	{"start.svg", startUp},
	{"metering.svg", metering},
	{"guests.svg", guests},
	{"guest-starts.svg", guestStarts},
	{"peers.svg", peers},
}

func loop(r *results) (*chart, bool) {
	wasm, ok := r.get("bench.Loop/guest=wasm", "cpu-ns/record")
	native, ok2 := r.get("bench.Loop/guest=native", "cpu-ns/record")
	return &chart{
		title:   "What the host does with a record: CPU time of the whole loop of one task",
		about:   "nanoseconds a record of 100 bytes, in batches of 1,024; the guest passes records on",
		command: "go test ./bench -run '^$' -bench Loop",
		groups:  []group{{bars: []bar{single("guest=wasm", 0, wasm), single("guest=native", 1, native)}}},
	}, ok && ok2
}

// wordCountParts are the parts of the profile, as the benchmark calls them.
var wordCountParts = strings.Fields("guests source guest-calls frames exchange task overlay pebble sink commit garbage-collector other")

func wordCount(r *results) (*chart, bool) {
	const wasmill = "bench.WordCount/program=wasmill"
	plain, ok := r.get("bench.WordCount/program=plain", "cpu-ms")
	all, ok2 := r.get(wasmill, "cpu-ms")
	c := &chart{
		title:   "Word count of the Go standard library's source: CPU time by part of the engine",
		about:   "a run of an ordinary parallel Go program, all of it in memory, beside one of wasmill, durable and exactly once",
		command: "go test ./bench -run '^$' -bench WordCount",
	}
	all = all.times(1e6)
	b := bar{label: "wasmill", runs: all}
	sum := 0.0
	for i, name := range wordCountParts {
		share, found := r.get(wasmill, name+"-%")
		ok2 = ok2 && found
		b.parts = append(b.parts, part{i, share.median})
		sum += share.median
	}
	for i, name := range wordCountParts { // medians do not add up to 100
		b.parts[i].value *= all.median / sum
		c.legend = append(c.legend, strings.ReplaceAll(name, "-", " ")+" "+duration(b.parts[i].value))
	}
	c.groups = []group{{bars: []bar{single("plain program", grey, plain.times(1e6)), b}}}
	return c, ok && ok2
}

func stateOps(r *results) (*chart, bool) {
	c := &chart{
		title:   "Read and write of one key of a store",
		about:   "nanoseconds an operation, on a logarithmic scale; keys of 20 bytes, values of 24, epochs of 100,000 operations",
		command: "go test ./state/overlay -run '^$' -bench . -benchtime 500000x -huge",
		log:     true,
	}
	for _, keys := range []struct{ name, text string }{{"100000", "100 k"}, {"1000000", "1 M"}, {"10000000", "10 M"}} {
		for _, dist := range []struct{ name, text string }{{"uniform", "uniform"}, {"zipf", "Zipf"}} {
			g := group{label: keys.text + " keys, " + dist.text}
			for i, way := range []struct{ name, text string }{{"cache", "overlay, all cached"}, {"nocache", "overlay, no cache"}, {"pebble", "Pebble directly"}} {
				if s, ok := r.get("state/overlay.ReadModifyWrite/keys="+keys.name+"/"+dist.name+"/"+way.name, "ns/op"); ok {
					g.bars = append(g.bars, single(way.text, i, s))
				}
			}
			if len(g.bars) > 0 {
				c.groups = append(c.groups, g)
			}
		}
	}
	return c, len(c.groups) > 0
}

func startUp(r *results) (*chart, bool) {
	median, ok := r.get("bench.Start", "ms-median")
	worst, ok2 := r.get("bench.Start", "ms-worst")
	worst = spread{worst.max, worst.max, worst.max}
	return &chart{
		title:   "From exec to the first batch of word-count",
		about:   "elapsed time, modules built and compiled before; the worst of all starts",
		command: "go test ./bench -run '^$' -bench Start",
		groups:  []group{{bars: []bar{single("median", 0, median.times(1e6)), single("worst", 1, worst.times(1e6))}}},
	}, ok && ok2
}

// metering has a bar for each way to meter a guest: the median of the
// workloads, and a line from the least to the greatest of them.
func metering(r *results) (*chart, bool) {
	c := &chart{
		title:   "What it costs a guest to be one that can be stopped",
		about:   "per cent of time over the module as it is, on a logarithmic scale; cancel is wazero's own way",
		command: "make bench-guests",
		write:   percent,
		spread:  "Medians of three workloads: JSON, a hash loop, a sort; a thin line goes from the least to the greatest.",
		log:     true,
	}
	for _, guest := range []struct{ name, text string }{
		{"assemblyscript", "AssemblyScript"}, {"c", "C"}, {"rust", "Rust"}, {"go", "Go"}, {"quickjs", "JavaScript, QuickJS"}, {"cpython", "Python, CPython"},
	} {
		g := group{label: guest.text}
		for i, variant := range []string{"fast", "patient", "counted", "cancel"} {
			var over []float64
			for _, workload := range []string{"json", "hash", "sort"} {
				if s, ok := r.get("bench/guests.Metering/guest="+guest.name+"/workload="+workload+"/variant="+variant, "over-%"); ok {
					over = append(over, s.median)
				}
			}
			if len(over) == 3 {
				slices.Sort(over)
				g.bars = append(g.bars, single(variant, i, spread{over[0], over[1], over[2]}))
			}
		}
		if len(g.bars) > 0 {
			c.groups = append(c.groups, g)
		}
	}
	return c, len(c.groups) > 0
}
