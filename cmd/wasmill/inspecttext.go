package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host"
)

// inspectText is what inspect shows to people.
func inspectText(path string, in *host.Inspection) []byte {
	t := &labelled{}
	t.line("module", fmt.Sprintf("%s, %s", shown(path), size(int64(in.Bytes))))
	t.line("digest", in.Digest)
	if a := in.Archive; a != nil {
		t.line("archive", fmt.Sprintf("%s, SDK %s", quoted(a.Language), quoted(a.SDK)), fmt.Sprintf("interpreter %s %s, %s: what follows is of it", quoted(a.Interpreter.Name), quoted(a.Interpreter.Version), a.Interpreter.Digest))
	}
	if in.Sections != nil {
		t.line("interface", cmp.Or(prefixed("wasmill version ", quoted(in.ABI)), yes(in.Program, "frames over standard input and output", "none")))
		t.line("sections", sections(in.Sections)...)
		if in.Memory != nil {
			t.line("memory", extentText(in.Memory, size)+", limits.memory is "+size(in.MemoryLimit))
		}
		for i := range in.Tables {
			t.line("table", extentText(&in.Tables[i], func(n int64) string { return plural(n, "entry", "entries") }))
		}
		t.line("imports", links(in.Imports)...)
		t.line("exports", links(in.Exports)...)
		t.line("limits", nearest(in.Limits)...)
		for _, f := range in.Forms {
			t.line(f.Name, fmt.Sprintf("%s, %s, %s at entries, %s with a stack budget",
				size(int64(f.Bytes)), plural(int64(f.Checks), "check", "checks"), count(int64(f.Entries)), plural(int64(f.Budgeted), "function", "functions")))
		}
		t.line("image", yes(in.Image, "instances begin from an image", "none: it changes tables or globals that an image does not hold"))
		if in.Archive != nil {
			t.line("debug data", "exceptions name file and line; traps name functions of the interpreter alone")
		} else {
			t.line("debug data", yes(in.Debug, "traps name file and line", yes(in.Names, "traps name functions", "none")))
		}
	}
	if in.Runs {
		t.line("verdict", "runs")
	} else {
		t.line("verdict", append([]string{"would be refused:"}, quotedAll(in.Faults)...)...)
	}
	return []byte(t.b.String())
}

// labelled writes lines that begin with a label.
type labelled struct{ b strings.Builder }

func (t *labelled) line(label string, values ...string) {
	for _, v := range values {
		fmt.Fprintf(&t.b, "%-10s  %s\n", label, v)
		label = ""
	}
}

// sections returns name and size of each, as many as fit to a line.
func sections(all []host.Section) (lines []string) {
	const width = 90
	for _, s := range all {
		text := brief(s.Name) + " " + size(int64(s.Bytes))
		if n := len(lines) - 1; n >= 0 && len(lines[n])+len(text) < width {
			lines[n] += ", " + text
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

func links(all []host.Link) (lines []string) {
	const most = 40
	for _, l := range all[:min(len(all), most)] {
		name := brief(l.Name)
		if l.Module != "" {
			name = brief(l.Module) + "." + name
		}
		lines = append(lines, name+cmp.Or(prefixed(" ", l.Type), ", a "+l.Kind))
	}
	if n := len(all) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", count(int64(n))))
	}
	return lines
}

func extentText(e *host.Extent, show func(int64) string) string {
	text := show(int64(e.Min)) + " at the start"
	if e.Max != nil {
		text += ", " + show(int64(*e.Max)) + " at most"
	}
	return text
}

// nearest returns the three limits that the module is nearest to, memories
// and tables aside: few are allowed, and to have one says nothing.
func nearest(all []host.Usage) (lines []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(u host.Usage) bool { return u.Have == 0 || u.Most < 10 })
	slices.SortStableFunc(all, func(a, b host.Usage) int { return cmp.Compare(share(b), share(a)) })
	for _, u := range all[:min(len(all), 3)] {
		lines = append(lines, fmt.Sprintf("%s of %s %s", count(int64(u.Have)), count(int64(u.Most)), u.What))
	}
	return lines
}

func share(u host.Usage) float64 { return float64(u.Have) / float64(u.Most) }

// brief shows a name that the module chose.
func brief(name string) string {
	const most = 100
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	return quoted(name)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func yes(is bool, then, other string) string {
	if is {
		return then
	}
	return other
}

func quotedAll(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = quoted(s)
	}
	return out
}
