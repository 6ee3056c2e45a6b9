package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

func registry(stdout *bytes.Buffer) *plugins.Registry {
	reg := &plugins.Registry{}
	file.Register(reg, stdout)
	return reg
}

// defaults fills a configuration as the job file's reader does.
func defaults(fields []plugins.Field, c plugins.Config) plugins.Config {
	for _, f := range fields {
		if _, ok := c[f.Name]; !ok && f.Default != nil {
			c[f.Name] = f.Default
		}
	}
	return c
}

func field(t *testing.T, fields []plugins.Field, name string) plugins.Field {
	t.Helper()
	i := slices.IndexFunc(fields, func(f plugins.Field) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no field %s", name)
	}
	return fields[i]
}

func TestRegister_WalkByEachKindOfRecords(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte("a,b\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	kind, _ := registry(nil).FindSource("walk")
	for _, c := range []struct{ records, want string }{
		{"", "[a,b 1,2]"},
		{"lines", "[a,b 1,2]"},
		{"csv", `[{"a":"1","b":"2"}]`},
		{"whole", "[a,b\n1,2\n]"},
		{"jsonl", "[]"}, // both lines are bad_json
	} {
		config := plugins.Config{"root": dir}
		if c.records != "" {
			config["records"] = c.records
		}
		src, err := kind.New(plugins.Env{}, defaults(kind.Fields, config))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := plugintest.ReadAll(t, src); fmt.Sprint(got) != c.want {
			t.Errorf("records %q: got %q, want %s", c.records, got, c.want)
		}
	}
}

func TestRegister_FieldsRefuseWhatCannotWork(t *testing.T) {
	reg := registry(nil)
	source, _ := reg.FindSource("walk")
	sink, _ := reg.FindSink("file")
	roll := field(t, sink.Fields, "roll").Fields
	for _, c := range []struct {
		field plugins.Field
		value any
		want  string // "" = accepted
	}{
		{field(t, source.Fields, "follow"), true, "not in this build yet"},
		{field(t, source.Fields, "follow"), false, ""},
		{field(t, source.Fields, "include"), []string{"[a"}, "not well formed"},
		{field(t, source.Fields, "exclude"), []string{"**/*.go"}, ""},
		{field(t, source.Fields, "split"), int64(0), "greater than 0"},
		{field(t, sink.Fields, "partition_by"), "country", "begins with a slash"},
		{field(t, roll, "every"), -time.Second, "greater than 0"},
		{field(t, roll, "size"), int64(1), ""},
	} {
		err := c.field.Check(c.value)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: got %v, want %q", c.field.Name, c.value, err, c.want)
		}
	}
	for _, f := range slices.Concat(source.Fields, sink.Fields, roll) {
		if !strings.HasSuffix(f.Doc, ".") || f.Name == "" {
			t.Errorf("field %s has no sentence for its documentation", f.Name)
		}
	}
}

func TestFileSink_ByItsConfiguration(t *testing.T) {
	dir := t.TempDir()
	kind, _ := registry(nil).FindSink("file")
	sink, err := kind.New(plugins.Env{Name: "out"}, defaults(kind.Fields, plugins.Config{
		"path": dir, "format": "lines", "partition_by": "/p", "roll": plugins.Config{"size": int64(1)},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if kind.Delivery != plugins.TwoPhase {
		t.Error("delivery is not two-phase")
	}
	w, err := sink.Open(t.Context(), plugins.Writer{Task: 0}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), lines(`{"p":1}`, `{"p":1}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Prepare(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*", "part-*")); len(names) > 0 {
		t.Errorf("visible before it was decided: %s", names)
	}
	if err := w.Finalise(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "1", "part-*.txt"))
	if len(names) != 2 {
		t.Errorf("got %s", names)
	}
}

func lines(values ...string) *wire.Batch {
	b := &wire.Batch{}
	for _, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Value: []byte(v)})
	}
	return b
}

func TestStdout_PrintsAfterTheDecisionAndAgainAfterACrash(t *testing.T) {
	var screen bytes.Buffer
	kind, _ := registry(&screen).FindSink("stdout")
	sink, err := kind.New(plugins.Env{}, defaults(kind.Fields, plugins.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	printed := func(want string) {
		t.Helper()
		if got := screen.String(); got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	}
	open := func(token []byte, finalised bool) plugins.SinkWriter {
		t.Helper()
		w, err := sink.Open(t.Context(), plugins.Writer{}, token, finalised)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	prepare := func(w plugins.SinkWriter, values ...string) []byte {
		t.Helper()
		if err := w.Write(t.Context(), lines(values...)); err != nil {
			t.Fatal(err)
		}
		token, err := w.Prepare(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	finalise := func(w plugins.SinkWriter) {
		t.Helper()
		if err := w.Finalise(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w := open(nil, false)
	if token := prepare(w); token != nil {
		t.Errorf("an empty epoch gave %x", token)
	}
	token := prepare(w, "a", "b")
	printed("")
	finalise(w)
	finalise(w)
	printed("a\nb\n")
	w.Close()

	w = open(token, true) // ended cleanly
	printed("a\nb\n")
	w.Close()
	w = open(token, false) // crashed behind the decision
	printed("a\nb\na\nb\n")

	empty := prepare(w)
	if len(empty) != 1 || !bytes.Equal(prepare(w), empty) {
		t.Errorf("tokens of empty epochs: %x", empty)
	}
	finalise(w)
	open(empty, false).Close()
	printed("a\nb\na\nb\n")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestStdout_SaysWhatIsWrong(t *testing.T) {
	reg := &plugins.Registry{}
	file.Register(reg, brokenPipe{})
	kind, _ := reg.FindSink("stdout")
	sink, _ := kind.New(plugins.Env{Name: "screen"}, plugins.Config{"format": "jsonl"})
	w, err := sink.Open(t.Context(), plugins.Writer{}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), lines("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Prepare(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := w.Finalise(t.Context()); err == nil || err.Error() != "standard output: broken pipe" {
		t.Errorf("got %v", err)
	}
	if _, err := sink.Open(t.Context(), plugins.Writer{}, []byte{9}, true); err == nil || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("a damaged token: %v", err)
	}
	sink, _ = kind.New(plugins.Env{}, plugins.Config{"format": "lines"})
	if w, err = sink.Open(t.Context(), plugins.Writer{}, nil, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), lines(strings.Repeat("x", 33<<20), strings.Repeat("x", 33<<20))); err == nil || !strings.Contains(err.Error(), "shorten epoch") {
		t.Errorf("too much for one epoch: %v", err)
	}
}
