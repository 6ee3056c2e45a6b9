package guest

import (
	"slices"
	"testing"
)

func TestFrames_AreNamesAlone(t *testing.T) {
	stack := "\t.runtime.abort()\n" +
		"\t.core::fmt::write(i32,i32) i32\n" +
		"\t.f(int)(i32) (i32,i64)\n" +
		"\t.f(int)(i32) (i32,i64)\n" +
		"\t.$12(i64)\n" +
		"\t.\x1b[31m\u202e(i32)\n" +
		"\t... maybe followed by omitted frames\n" +
		"\nGo runtime stack trace:\ngoroutine 1"
	want := []string{"runtime.abort", "core::fmt::write", "f(int)", "$12", " [31m "}
	if got := frames(stack); !slices.Equal(got, want) {
		t.Fatalf("frames %q, want %q", got, want)
	}
}
