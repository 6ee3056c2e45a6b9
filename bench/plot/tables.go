package main

import (
	"fmt"
	"math"
	"strings"
)

// sizes are those of batches, as the benchmarks and as people write them.
var sizes = []struct{ name, text string }{{"1", "1"}, {"16", "16"}, {"256", "256"}, {"1024", "1,024"}}

// tables returns the page of tables of the languages and the peers, false if
// neither is in the results.
func tables(r *results) ([]byte, bool) {
	var out strings.Builder
	fmt.Fprintf(&out, "<!-- Written by bench/plot from the results of make bench-guests. -->\n%s. What the columns mean is said in [README.md](../README.md).\n", r.machine)
	parts := []string{startTable(r), recordTable(r, "echo", "Pass-through"), recordTable(r, "json", "JSON, parsed and projected"), recordTable(r, "state", "State, read and written"), peerTable(r)}
	for _, text := range parts {
		out.WriteString(text)
	}
	return []byte(out.String()), strings.Join(parts, "") != ""
}

// table writes rows, none of which may be empty, below a heading.
func table(heading, head string, rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	columns := strings.Count(head, "|")
	return "\n## " + heading + "\n\n| " + head + " |\n|" + strings.Repeat("---|", columns+1) + "\n| " + strings.Join(rows, " |\n| ") + " |\n"
}

func startTable(r *results) string {
	var rows []string
	for _, l := range languages {
		row := l.text
		for _, unit := range []string{"step-KiB", "build-ms", "compile-ms", "cached-ms", "restart-ms", "snapshot-ms", "another-ms"} {
			s, ok := r.get("bench/guests.Start/guest="+l.name, unit)
			if !ok {
				row = ""
				break
			}
			row += " | " + digits(s.median)
		}
		if row == "" {
			continue
		}
		each, _ := r.get("bench/guests.Idle/guest="+l.name, "KiB/instance")
		rows = append(rows, row+" | "+digits(each.median))
	}
	return table("Size and start", " | step, KiB | build, ms | cold compile, ms | cached start, ms | with an image, ms | from the image, ms | another, ms | idle instance, KiB", rows)
}

func recordTable(r *results, kase, heading string) string {
	var rows []string
	for _, l := range languages {
		row, fuel := l.text, ""
		for _, size := range sizes {
			s, ok := recordIn(r, kase, size.name, l.name, "fast")
			mark := ""
			if !ok {
				s, ok = recordIn(r, kase, size.name, l.name, "patient")
				mark = "*"
			}
			if !ok {
				row = ""
				break
			}
			row += " | " + digits(s.min) + " / " + digits(s.max) + mark
			if f, ok := r.get("bench/guests.Record/case="+kase+"/batch="+size.name+"/guest="+l.name+"/form=patient", "fuel/record"); ok {
				fuel = digits(f.median)
			}
		}
		if row == "" {
			continue
		}
		row += " | " + fuel
		if native, ok := recordIn(r, kase, "1024", l.name, "native"); ok {
			ours, _ := record(r, kase, "1024", l.name)
			row += fmt.Sprintf(" | %s | %.1f", digits(native.min), ours.min/native.min)
		} else if kase == "json" {
			row += " | | "
		}
		rows = append(rows, row)
	}
	head := " | batch 1, ns | 16 | 256 | 1,024 | fuel"
	if kase == "json" {
		head += " | natively, ns | ratio"
	}
	return table(heading, head, rows)
}

func peerTable(r *results) string {
	var rows []string
	for _, p := range peerGroups {
		for _, way := range p.ways {
			name := "bench/peers.Peers/" + way.name
			least, ok := r.get(name, "ns/record")
			median, ok2 := r.get(name, "median-ns/record")
			ratio, ok3 := r.get(name, "ratio")
			size, ok4 := r.get(name, "module-KiB")
			if ok && ok2 && ok3 && ok4 {
				rows = append(rows, fmt.Sprintf("%s: %s | %s / %s | %.1f | %s", p.label, way.text, digits(least.median), digits(median.median), ratio.median, digits(size.median)))
			}
		}
	}
	return table("The same step in C, run by others", " | ns a record | ratio to wasmill's 1,024 | module, KiB", rows)
}

// digits writes a number with two digits at least and no more than it needs,
// in groups of three.
func digits(v float64) string {
	if v < 1 {
		return fmt.Sprintf("%.2g", v)
	}
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	text := fmt.Sprintf("%.0f", math.Round(v))
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
