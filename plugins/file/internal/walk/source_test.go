package walk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/walk"
	"github.com/wasmill/wasmill/plugins/plugintest"
	"github.com/wasmill/wasmill/traversal"
	"github.com/wasmill/wasmill/traversal/fakefs"
)

func tree() *fakefs.FS {
	f := fakefs.New()
	f.File("a.txt", "one\ntwo\r\n\nfour")
	f.File("d/b.txt", "five\n")
	f.File("d/empty", "")
	f.File("d/e/.hidden", "six\nseven\n")
	f.File("\xff\xfe/n\nl", "eight")
	f.Special("d/fifo", traversal.KindOther)
	f.Special("link", traversal.KindSymlink)
	for i := range 7 {
		f.File(fmt.Sprintf("wide/%d", i), fmt.Sprintf("w%d\n", i))
	}
	return f
}

func kit(o walk.Options, f *fakefs.FS, want ...string) plugintest.Source {
	return plugintest.Source{
		Open: func(testing.TB) plugins.Source { return walk.NewOn(f, plugins.Env{Name: "docs"}, o) },
		Want: want,
	}
}

func TestSource_Lines(t *testing.T) {
	want := []string{"one", "two", "", "four", "five", "six", "seven", "eight", "w0", "w1", "w2", "w3", "w4", "w5", "w6"}
	for _, page := range []int{0, 1, 2, 3} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprintf("page=%d,workers=%d", page, workers), func(t *testing.T) {
				plugintest.RunSource(t, kit(walk.Options{Root: "/x", Page: page, Workers: workers}, tree(), want...))
			})
		}
	}
}

// Every size of a split gives the records of the undivided file (the inputs
// are those that made Hadoop's readers lose or repeat records).
func TestSource_EverySplitSize(t *testing.T) {
	for _, data := range []string{
		"abc\ndef\nghi\npqr\nxyz\n", "abc\n\ndef\n\n\nghi\n\n", "\n\n\n", "x", "ab\r\ncd\r\n", "abc\r\n\r\nde\rf\n", strings.Repeat("line\n", 9) + "tail",
	} {
		f := fakefs.New()
		f.File("f", data)
		lines := strings.Split(data, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i := range lines {
			if i < strings.Count(data, "\n") {
				lines[i] = strings.TrimSuffix(lines[i], "\r")
			}
		}
		for size := 1; size <= len(data)+1; size++ {
			t.Run(fmt.Sprintf("%q/%d", data, size), func(t *testing.T) {
				k := kit(walk.Options{Root: "/x", Split: int64(size), Auto: size%2 == 0}, f, lines...)
				if size < 4 {
					plugintest.RunSource(t, k)
					return
				}
				if got, _ := plugintest.ReadAll(t, k.Open(t)); !slices.Equal(got, lines) {
					t.Errorf("got %q, want %q", got, lines)
				}
			})
		}
	}
}
