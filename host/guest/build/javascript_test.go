package build_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/build"
	"github.com/wasmill/wasmill/host/guest/quickjs"
)

// javascriptStep makes a step in TypeScript with the SDK of the repository.
func javascriptStep(t *testing.T, pairs ...string) string {
	t.Helper()
	sdk, err := filepath.Abs("../../../sdk-ts")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir,
		"package.json", `{"name":"x","type":"module","dependencies":{"wasmill":"file:`+sdk+`"}}`,
		"step.ts", "import { step } from \"wasmill\";\nimport { twice } from \"./twice.js\";\n\nstep<number>((record, cx) => cx.emit({ value: twice(record.json) }));\n",
		"twice.ts", "export function twice(n: number): number {\n  return 2 * n;\n}\n",
	)
	write(t, dir, pairs...)
	return dir
}

func buildJavaScript(t *testing.T, dir, cache string) (*archive.Archive, *build.Step) {
	t.Helper()
	s, err := build.Build(context.Background(), dir, build.Options{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Read(s.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

func TestJavaScript_IsAnArchiveOfBundleAndEngine(t *testing.T) {
	dir, cache := javascriptStep(t), filepath.Join(t.TempDir(), "c")
	a, s := buildJavaScript(t, dir, cache)
	want := archive.Step{Format: archive.Format, Language: "javascript", Carrier: archive.ABI, ABI: "1.1", SDK: "0.1.0", Main: "step.ts",
		Interpreter: archive.Interpreter{Name: quickjs.Name, Version: quickjs.Version, Digest: quickjs.Digest()}}
	if a.Language != want.Language || a.Carrier != want.Carrier || a.Interpreter != want.Interpreter || a.ABI != want.ABI || a.SDK != want.SDK || a.Main != want.Main {
		t.Errorf("step.json is %+v, want %+v", a.Step, want)
	}
	code, err := fs.ReadFile(a.Files, "step.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"function twice(n)", "var CallError = class"} {
		if !strings.Contains(string(code), part) {
			t.Errorf("the bundle lacks %q:\n%s", part, code)
		}
	}
	sources, err := fs.ReadFile(a.Files, "step.js.map")
	if err != nil || !strings.Contains(string(sources), `"twice.ts"`) {
		t.Errorf("the source map is %s, %v", sources, err)
	}
	if strings.Contains(string(code), "sdk-ts") || strings.Contains(string(sources), "sdk-ts") {
		t.Errorf("the bundle says where the SDK lies:\n%s\n%s", code, sources)
	}
	if license, err := fs.ReadFile(a.Files, "LICENSE-quickjs"); err != nil || string(license) != quickjs.License {
		t.Errorf("the licence of the engine is %q, %v", license, err)
	}
	if _, again := buildJavaScript(t, dir, filepath.Join(t.TempDir(), "c")); again.Digest != s.Digest {
		t.Error("another build of the same source has another digest")
	}
	write(t, dir, "twice.ts", "export const twice = (n: number) => 3 * n;\n")
	if _, changed := buildJavaScript(t, dir, cache); changed.Digest == s.Digest {
		t.Error("a change of the source changed nothing")
	}
}

func TestJavaScript_Packages(t *testing.T) {
	dir := javascriptStep(t,
		"node_modules/left/package.json", `{"name":"left","version":"1.0.0","main":"index.js"}`,
		"node_modules/left/index.js", "module.exports = (s) => 'left ' + s;\n",
		"data/word.txt", "a word",
		"step.ts", "import left from \"left\";\nimport word from \"./data/word.txt\";\nimport { step } from \"wasmill\";\n\nstep((_, cx) => cx.emit({ value: left(word) }));\n",
	)
	a, _ := buildJavaScript(t, dir, filepath.Join(t.TempDir(), "c"))
	code, err := fs.ReadFile(a.Files, "step.js")
	if err != nil || !strings.Contains(string(code), `"left " + s`) && !strings.Contains(string(code), `'left ' + s`) || !strings.Contains(string(code), "a word") {
		t.Errorf("the bundle is %s, %v", code, err)
	}
}

func TestJavaScript_FindsTheStep(t *testing.T) {
	const code = "import { step } from \"wasmill\";\n\nstep((r, cx) => cx.emit(r));\n"
	for _, test := range []struct{ name, file, dependencies string }{
		{"in src", "src/step.ts", ""},
		{"in JavaScript", "step.mjs", ""},
		{"by name", "lib/other.ts", `,"wasmill":"lib/other.ts"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := javascriptStep(t)
			for _, name := range []string{"step.ts", "twice.ts"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			sdk, err := filepath.Abs("../../../sdk-ts")
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, test.file, code, "package.json", `{"dependencies":{"wasmill":"file:`+sdk+`"}`+test.dependencies+`}`)
			if a, _ := buildJavaScript(t, dir, filepath.Join(t.TempDir(), "c")); a.Main != test.file {
				t.Errorf("the step is %q, want %q", a.Main, test.file)
			}
		})
	}
}

func TestJavaScript_Faults(t *testing.T) {
	const header = "import { step } from \"wasmill\";\n"
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"a syntax error", []string{"step.ts", header + "step(("}, "step.ts:2:7: Unexpected end of file"},
		{"a module of Node.js", []string{"step.ts", header + "import fs from \"fs\";\nfs;\n"}, `step.ts:2:16: Could not resolve "fs": it is a part of Node.js`},
		{"the same by its other name", []string{"step.ts", header + "import fs from \"node:fs\";\nfs;\n"}, `step.ts:2:16: Could not resolve "node:fs": it is a part of Node.js`},
		{"an import of a package that is not there", []string{"step.ts", header + "import { a } from \"@some/package\";\na;\n"}, `Could not resolve "@some/package": if it is a package of npm, install it in the step's directory`},
		{"a package that is not there", []string{"package.json", `{"dependencies":{"b":"1","a":"2"}}`}, "package.json depends on a, b, which node_modules does not have: run npm install there"},
		{"no SDK", []string{"package.json", `{}`}, `Could not resolve "wasmill": run npm install, or put the SDK into .wasmill/sdk`},
		{"an SDK that is gone", []string{"package.json", `{"dependencies":{"wasmill":"file:.wasmill/sdk"}}`}, ".wasmill/sdk, which has no package.json: put it back"},
		{"package.json that is no JSON", []string{"package.json", `{`}, "package.json: unexpected end of JSON input"},
		{"a named file that is not there", []string{"package.json", `{"wasmill":"other.ts"}`}, `Could not resolve "other.ts"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := javascriptStep(t, test.files...)
			_, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "c")})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	dir := t.TempDir()
	write(t, dir, "package.json", "{}")
	_, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "c")})
	if err == nil || !strings.Contains(err.Error(), "has none of the files step.ts, ") {
		t.Errorf("error without a step: %v", err)
	}
}
