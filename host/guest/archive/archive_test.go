package archive_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/archive"
)

const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // of nothing

func step() archive.Step {
	return archive.Step{
		Language: "python", Carrier: archive.Frames, Args: []string{"python", "/app/main.py"}, Env: map[string]string{"A": "b"},
		Interpreter: archive.Interpreter{Name: "cpython", Version: "3.12.0", Digest: digest}, ABI: "1.1", SDK: "0.1.0",
	}
}

func write(t *testing.T, s archive.Step, app []archive.File, interpreter []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := archive.Write(&b, s, app, interpreter); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive_ComesBackAndIsReproducible(t *testing.T) {
	one, two := archive.File{Name: "a/b.py", Data: []byte("b")}, archive.File{Name: "main.py", Data: bytes.Repeat([]byte("m"), 1<<16)}
	b := write(t, step(), []archive.File{one, two}, []byte{})
	if again := write(t, step(), []archive.File{two, one}, []byte{}); !bytes.Equal(again, b) {
		t.Error("the order of the files changes the archive")
	}
	if !archive.Is(b) || archive.Is([]byte("\x00asm")) {
		t.Error("Is is wrong")
	}
	a, err := archive.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	if a.Carrier != archive.Frames || a.Args[1] != "/app/main.py" || a.Env["A"] != "b" || a.Interpreter.Digest != digest || a.Wasm == nil {
		t.Errorf("read %+v", a)
	}
	for _, f := range []archive.File{one, two} {
		if got, err := fs.ReadFile(a.Files, f.Name); err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s: %d bytes, error %v", f.Name, len(got), err)
		}
	}
}

func TestWrite_RefusesWhatIsNotRead(t *testing.T) {
	long, many := step(), make([]archive.File, archive.MaxFiles+1)
	long.Args = []string{strings.Repeat("x", archive.MaxStep)}
	for i := range many {
		many[i].Name = strconv.Itoa(i)
	}
	part := make([]byte, archive.MaxUnpacked/4+1)
	for _, test := range []struct {
		step archive.Step
		app  []archive.File
		want string
	}{
		{long, nil, "step.json has "},
		{step(), many, "20001 files, at most 20000"},
		{step(), []archive.File{{Name: "a", Data: part}, {Name: "b", Data: part}, {Name: "c", Data: part}, {Name: "d", Data: part}}, "more than 268435456 bytes"},
		{step(), []archive.File{{Name: "../a"}}, "no path of a file"},
	} {
		if err := archive.Write(io.Discard, test.step, test.app, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// pack makes a zip file of pairs of name and content.
func pack(t *testing.T, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead_Refuses(t *testing.T) {
	const good = `{"format":1,"carrier":"abi","interpreter":{"name":"x","digest":"` + digest + `"}}`
	app := pack(t, "main.py", "")
	for _, test := range []struct{ name, archive, want string }{
		{"no zip", "PK\x03\x04", "no zip file"},
		{"nothing", pack(t), "lacks step.json"},
		{"no app", pack(t, "step.json", good), "lacks app.zip"},
		{"a stranger", pack(t, "step.json", good, "app.zip", app, "x", ""), `holds "x"`},
		{"twice", pack(t, "step.json", good, "step.json", good), "holds step.json twice"},
		{"a newer format", pack(t, "step.json", strings.Replace(good, "1", "2", 1), "app.zip", app), "format 2, this build reads 1"},
		{"a field too many", pack(t, "step.json", strings.Replace(good, "{", `{"x":1,`, 1), "app.zip", app), `unknown field "x"`},
		{"another object", pack(t, "step.json", good+"{}", "app.zip", app), "goes on behind the object"},
		{"another carrier", pack(t, "step.json", strings.Replace(good, "abi", "pigeon", 1), "app.zip", app), `carrier is "pigeon"`},
		{"a short digest", pack(t, "step.json", strings.Replace(good, "sha256:e3", "sha256:", 1), "app.zip", app), "digest is"},
		{"another interpreter", pack(t, "step.json", good, "app.zip", app, "interpreter.wasm", "x"), "not the one of digest"},
		{"a long step", pack(t, "step.json", good+strings.Repeat(" ", archive.MaxStep), "app.zip", app), "at most 65536 are allowed"},
		{"a path upwards", pack(t, "step.json", good, "app.zip", pack(t, "../x", "")), "no path of a file"},
		{"an absolute path", pack(t, "step.json", good, "app.zip", pack(t, "/x", "")), "no path of a file"},
		{"a directory", pack(t, "step.json", good, "app.zip", pack(t, "x/", "")), "no path of a file"},
		{"a file twice", pack(t, "step.json", good, "app.zip", pack(t, "x", "", "x", "")), `"x" twice`},
		{"a bomb", pack(t, "step.json", good, "app.zip", pack(t, "x", strings.Repeat("\x00", archive.MaxUnpacked+1))), "more than 268435456 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := archive.Read([]byte(test.archive)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := archive.Write(&b, step(), []archive.File{{Name: "x", Data: []byte("y")}}, []byte{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := archive.Read(b)
		if err != nil {
			return
		}
		err = fs.WalkDir(a.Files, ".", func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
	})
}
