package out_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"maps"
	"slices"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/disk/crashdisk"
	"github.com/wasmill/wasmill/plugins/file/internal/out"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

// place is a crashdisk under a sink with options.
type place struct {
	o    out.Options
	disk *crashdisk.Disk
}

func (p *place) Sink(at int) plugins.Sink {
	p.disk = p.disk.Crash(nil) // counts from 0
	p.disk.At = at
	return out.NewOn(p.disk, p.o)
}

func (p *place) Calls() int { return p.disk.Calls() }

func (p *place) Crash(power bool, seed uint64) {
	var rnd *rand.Rand
	if power {
		rnd = rand.New(rand.NewPCG(seed, 1))
	}
	p.disk = p.disk.Crash(rnd)
}

func (p *place) Values(testing.TB) []string {
	var values []string
	for _, name := range slices.Sorted(maps.Keys(p.disk.Files())) {
		if data := p.disk.Files()[name]; !strings.HasSuffix(name, ".tmp") && data != "" {
			values = append(values, strings.Split(strings.TrimSuffix(data, "\n"), "\n")...)
		}
	}
	return values
}

func (p *place) Leftovers() []string {
	var left []string
	for name := range p.disk.Files() {
		if strings.HasSuffix(name, ".tmp") {
			left = append(left, name)
		}
	}
	return left
}

func TestSink_Conformance(t *testing.T) {
	ticks := func() func() time.Time {
		now := time.Unix(1_000_000, 0)
		return func() time.Time { now = now.Add(time.Second); return now }
	}
	for name, o := range map[string]out.Options{
		"append":                 {},
		"append, lines":          {Format: out.TextLines},
		"append, partitions":     {PartitionBy: "/p"},
		"roll at the end":        {Roll: &out.Roll{}},
		"roll by size":           {Roll: &out.Roll{Size: 50}},
		"roll by time":           {Roll: &out.Roll{Every: 4 * time.Second}},
		"roll in partitions":     {Roll: &out.Roll{Size: 30, Every: 5 * time.Second}, PartitionBy: "/p"},
		"roll each record":       {Roll: &out.Roll{Size: 1}},
		"roll, lines, partition": {Format: out.TextLines, Roll: &out.Roll{Size: 40}, PartitionBy: "/i"},
	} {
		t.Run(name, func(t *testing.T) {
			plugintest.RunSink(t, func(testing.TB) plugintest.Place {
				o := o
				o.Path, o.Now = "/out", ticks()
				return &place{o: o, disk: crashdisk.New()}
			})
		})
	}
}
