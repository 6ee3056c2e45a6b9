package main

// languages are the SDKs, as the benchmarks of bench/guests and as people call
// them.
var languages = []struct{ name, text, native string }{
	{"rust", "Rust", "the same, natively"}, {"c", "C", "the same, natively"}, {"as", "AssemblyScript", ""},
	{"go", "Go", "the same, natively"}, {"ts", "JavaScript, QuickJS", "Node"}, {"python", "Python, CPython", "CPython natively"},
}

// guests has a bar for each size of a batch, and one for what runs natively.
func guests(r *results) (*chart, bool) {
	c := &chart{
		title:   "A record in each language: 120 bytes of JSON are parsed and projected",
		about:   "nanoseconds a record, on a logarithmic scale; by records in a batch, the host's part included",
		command: "make bench-guests",
		spread:  "Least times of the rounds; a thin line goes to their median.",
		log:     true,
	}
	for _, l := range languages {
		g := group{label: l.text}
		for i, size := range sizes {
			if s, ok := record(r, "json", size.name, l.name); ok {
				g.bars = append(g.bars, single("batch of "+size.text, i, s))
			}
		}
		if s, ok := recordIn(r, "json", "1024", l.name, "native"); ok {
			g.bars = append(g.bars, single(l.native, grey, s))
		}
		if len(g.bars) > 0 {
			c.groups = append(c.groups, g)
		}
	}
	return c, len(c.groups) > 0
}

// record returns what a record costs in the form that the host would take: the
// fast one if the batch fits into its quantum.
func record(r *results, kase, size, language string) (spread, bool) {
	if s, ok := recordIn(r, kase, size, language, "fast"); ok {
		return s, true
	}
	return recordIn(r, kase, size, language, "patient")
}

func recordIn(r *results, kase, size, language, form string) (spread, bool) {
	name := "bench/guests.Record/case=" + kase + "/batch=" + size + "/guest=" + language + "/form=" + form
	least, ok := r.get(name, "ns/record")
	median, ok2 := r.get(name, "median-ns/record")
	return spread{least.median, least.median, median.median}, ok && ok2
}

func guestStarts(r *results) (*chart, bool) {
	c := &chart{
		title:   "Until the first batch is done",
		about:   "elapsed time, on a logarithmic scale: with nothing kept, with the compiled module on disk, from an image; one more instance",
		command: "make bench-guests",
		log:     true,
	}
	for _, l := range languages {
		g := group{label: l.text}
		for i, way := range []struct{ unit, text string }{{"compile-ms", "compiled first"}, {"cached-ms", "kept on disk"}, {"snapshot-ms", "from an image"}, {"another-ms", "one more"}} {
			if s, ok := r.get("bench/guests.Start/guest="+l.name, way.unit); ok {
				g.bars = append(g.bars, single(way.text, i, s.times(1e6)))
			}
		}
		if len(g.bars) > 0 {
			c.groups = append(c.groups, g)
		}
	}
	return c, len(c.groups) > 0
}

// peerGroups are the programs, and the ways to have a step run by them.
var peerGroups = []struct {
	label string
	ways  []struct{ name, text string }
}{
	{"wasmill", []struct{ name, text string }{
		{"peer=wasmill/way=step/batch=1", "batch of 1"}, {"peer=wasmill/way=step/batch=16", "batch of 16"},
		{"peer=wasmill/way=step/batch=256", "batch of 256"}, {"peer=wasmill/way=step/batch=1024", "batch of 1,024"},
	}},
	{"Benthos, processor wasm", []struct{ name, text string }{
		{"peer=benthos/way=processor/batch=1", "batch of 1"}, {"peer=benthos/way=processor/batch=1024", "batch of 1,024"},
	}},
	{"Extism, Go SDK", []struct{ name, text string }{
		{"peer=extism/way=call-with-timeout/batch=1", "a call, stoppable"}, {"peer=extism/way=call/batch=1", "a call"},
		{"peer=extism/way=lines/batch=16", "16 lines a call"}, {"peer=extism/way=lines/batch=1024", "1,024 lines a call"},
	}},
}

// peers has a group for each program.
func peers(r *results) (*chart, bool) {
	c := &chart{
		title:   "The same step in C, run by others",
		about:   "nanoseconds a record of 120 bytes of JSON, on a logarithmic scale; the same wazero for all",
		command: "make bench-guests",
		spread:  "Least times of the rounds; a thin line goes to their median.",
		log:     true,
	}
	for i, p := range peerGroups {
		g := group{label: p.label}
		for _, way := range p.ways {
			least, ok := r.get("bench/peers.Peers/"+way.name, "ns/record")
			median, ok2 := r.get("bench/peers.Peers/"+way.name, "median-ns/record")
			if ok && ok2 {
				g.bars = append(g.bars, single(way.text, i, spread{least.median, least.median, median.median}))
			}
		}
		if len(g.bars) > 0 {
			c.groups = append(c.groups, g)
		}
	}
	return c, len(c.groups) > 0
}
