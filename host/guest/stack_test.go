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
		"\t._ZN4step5parse17h8c3f0d1e2b4a5f67E(i32)\n" +
		"\t._RNvNtCsfgABC1_4step4look5marks(i32)\n" +
		"\t._ZN3abc3defEi(i32)\n" +
		"\t._ZN(i32)\n" +
		"\t... maybe followed by omitted frames\n" +
		"\nGo runtime stack trace:\ngoroutine 1"
	want := []call{
		{"wasmill_v1.emit", false, -1}, {"runtime.abort", false, -1}, {"core::fmt::write", false, 0x1f}, {"f(int)", false, -1},
		{"function 3", true, -1}, {"function 12", true, -1}, {"$-", false, -1}, {" [31m ", false, -1},
		{"step::parse", true, -1}, {"step::look::marks", true, -1}, {"abc::def", true, -1}, {"_ZN", true, -1},
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

// A name is whatever the module says it is.
func FuzzDemangled(f *testing.F) {
	for _, s := range []string{"_ZN4step5parse17h8c3f0d1e2b4a5f67E", "_RNvNtCsfgABC1_4step4look5marks", "_ZN3abc3defEi", "_ZSt4moveIRSt6vectorIiSaIiEEEONSt16remove_referenceIT_E4typeEOS5_", "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE", "function 3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if plain, _ := demangled(name); len(plain) > max(len(name), maxMangled) {
			t.Errorf("%d bytes of %d", len(plain), len(name))
		}
	})
}
