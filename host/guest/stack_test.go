package guest

import (
	"slices"
	"strings"
	"testing"
)

func TestCalls_AreNamesAndOffsetsAlone(t *testing.T) {
	m := functions{Imported: 3, Own: 10}
	stack := "\twasmill_v1.emit(i32,i32) i32\n" +
		"\twasmill_meter.tick(i64) i64\n" +
		"\t\t0x99: w:1\n" +
		"\t.runtime.abort()\n" +
		"\t.core::fmt::write(i32,i32) i32\n" +
		"\t\t0x1f: w:1\n" +
		"\t.f(int)(i32) (i32,i64)\n" +
		"\t\t0xfffffffff: w:1\n" +
		"\t.$3(i64)\n" +
		"\t.$4(i64)\n" +
		"\t.$13(i64)\n" +
		"\t.$14(i64)\n" +
		"\t\t0x98: w:1\n" +
		"\t.$-(i64)\n" +
		"\t.\x1b[31m\u202e(i32)\n" +
		"\t... maybe followed by omitted frames\n" +
		"\nGo runtime stack trace:\ngoroutine 1"
	want := []call{
		{"wasmill_v1.emit", -1}, {"runtime.abort", -1}, {"core::fmt::write", 0x1f}, {"f(int)", -1},
		{"function 3", -1}, {"function 12", -1}, {"$-", -1}, {" [31m ", -1},
	}
	if got := calls(stack, m); !slices.Equal(got, want) {
		t.Fatalf("calls %+v, want %+v", got, want)
	}
}

func TestCalls_AreBounded(t *testing.T) {
	stack := strings.Repeat("\t."+strings.Repeat("n", 1000)+"(i32)\n", 100)
	got := calls(stack, functions{})
	if len(got) != maxFrames || len(got[0].name) != 128+len("…") {
		t.Fatalf("%d calls, the first of %d bytes", len(got), len(got[0].name))
	}
}
