package jobspec

import (
	"strings"
	"unicode"
)

// maxLine is how many characters of a line a fault shows.
const maxLine = 160

// underline returns a line as it can be shown, and what stands below it: a
// caret under the character at column. Tabs are repeated below, wide
// characters take two cells there; a long line is cut around the column.
func underline(line string, column int) (shown, below string) {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	first, last := 0, len(runes)
	if last > maxLine {
		first = max(0, min(at-maxLine/2, last-maxLine))
		last = first + maxLine
	}
	var s, c strings.Builder
	if first > 0 {
		s.WriteString("…")
		c.WriteByte(' ')
	}
	for i := first; i < last; i++ {
		r := graphic(runes[i])
		s.WriteRune(r)
		switch {
		case i >= at:
		case r == '\t':
			c.WriteByte('\t')
		default:
			c.WriteString(strings.Repeat(" ", cells(r)))
		}
	}
	if last < len(runes) {
		s.WriteString("…")
	}
	c.WriteByte('^')
	return strings.TrimRight(s.String(), " \t"), c.String()
}

// graphic returns what is shown of a character: a terminal must not obey a
// job file.
func graphic(r rune) rune {
	if r == '\t' || r == '\n' || unicode.IsGraphic(r) {
		return r
	}
	return unicode.ReplacementChar
}

// cells is the number of terminal cells that a graphic character takes.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// wide are the ranges whose characters take two cells: East Asian scripts,
// full-width forms and pictographs.
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
}
