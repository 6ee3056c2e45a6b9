package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page: a file to be written, or commands with
// what they print.
type block struct {
	file, lang, text string
}

var fenced = regexp.MustCompile("(?ms)^(?:<!-- file: (\\S+) -->\n)?```(\\w+)\n(.*?)^```$")

// blocks returns the fenced blocks of a page in their order.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		all = append(all, block{m[1], m[2], m[3]})
	}
	return all
}

// follow does in dir what a page says: it writes its files and runs its
// commands, whose output must have the lines that the page shows. Numbers
// count as equal, and so do modules that are built, however long that takes,
// or known already. Where a command leaves the shell, the next one begins.
func follow(t *testing.T, dir string, all []block, env ...string) {
	t.Helper()
	shared, err := caches()
	if err != nil {
		t.Fatal(err)
	}
	sh := &shell{dir: dir, left: filepath.Join(t.TempDir(), "left"), env: slices.Concat(os.Environ(), shared, env, []string{"PATH=" + binary(t) + ":" + os.Getenv("PATH")})}
	defer func() {
		if sh.ran == 0 {
			t.Error("the page has no command that was run")
		}
	}()
	for _, b := range all {
		switch {
		case b.file != "":
			write(t, dir, b.file, b.text)
		case installs.MatchString(b.text): // what is on the machine already
		case b.lang == "sh":
			sh.run(t, b.text)
		case b.lang == "console":
			for _, entry := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(entry, "\n")
				got := sh.run(t, strings.ReplaceAll(line, "go run ./cmd/wasmill", "wasmill"))
				printed := strings.Split(unify(got), "\n")
				for _, w := range strings.Split(unify(want), "\n") {
					if !strings.HasPrefix(w, "building ") && !slices.Contains(printed, w) {
						t.Errorf("$ %s\nthe page shows the line\n%s\nit printed\n%s", line, w, got)
					}
				}
			}
		}
	}
}

// installs matches what is not run: commands that install tools on a machine.
var installs = regexp.MustCompile(`^(\$ )?(sudo|apt-get|apt|brew|rustup|curl|go install)\b`)

// shell runs commands one by one as if it were one shell.
type shell struct {
	dir  string // where it begins
	left string // file with what the last command left: directory and variables
	env  []string
	ran  int
}

func (s *shell) run(t *testing.T, script string) string {
	t.Helper()
	s.ran++
	const frame = `if [ -e "$LEFT" ]; then . "$LEFT"; fi
%s
{ export -p; printf 'cd %%q\n' "$PWD"; } >"$LEFT"
`
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", fmt.Sprintf(frame, script))
	cmd.Dir = s.dir
	cmd.Env = append(s.env, "LEFT="+s.left)
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("$ %s\n%s\n%v", script, got, err)
	}
	return string(got)
}

var build = regexp.MustCompile(`, .* of it to build and start`)

// minutes are how a time of a hundred seconds or more is told.
var minutes = regexp.MustCompile(`\b([0-9]+h)?[0-9]+m[0-9]+s\b`)

var number = regexp.MustCompile(`\(cached\)|[0-9]([0-9.,]*[0-9])?s?( ([KMG]i)?B\b)?`)

func unify(s string) string {
	s = minutes.ReplaceAllString(build.ReplaceAllString(s, ""), "0 s")
	return number.ReplaceAllString(s, "0")
}

func TestUnify_TimesOfEveryLength(t *testing.T) {
	for _, s := range []string{"5.3 s to build, 3.0 s to check", "1m40s to build, 0.03 s to check", "99.9 s to build, 1h2m3s to check"} {
		if got := unify(s); got != "0 s to build, 0 s to check" {
			t.Errorf("%s is %q", s, got)
		}
	}
}

// binary returns a directory with a command wasmill, which finds the
// toolchains of the guests.
func binary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n"
	for _, v := range toolchains() {
		script += fmt.Sprintf("export %s='%s'\n", v[0], v[1])
	}
	script += fmt.Sprintf("WASMILL_TEST_BE_WASMILL=1 exec '%s' \"$@\"\n", self)
	if err := os.WriteFile(filepath.Join(dir, "wasmill"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkout copies what the examples need of the repository.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"examples", "sdk-go"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS("../../"+part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "examples/word-count/.wasmill")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadme_DoesWhatItShows(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules with Go for WebAssembly")
	}
	t.Parallel()
	dir := checkout(t)
	follow(t, dir, blocks(t, "../../README.md"))

	// The job that it begins with.
	write(t, dir, "first/go.mod", "module first\n\ngo 1.26\n\nrequire github.com/wasmill/wasmill/sdk-go v0.0.0\n\n"+
		"replace github.com/wasmill/wasmill/sdk-go => ../sdk-go\n")
	write(t, dir, "logs/a.jsonl", `{"user":"ada","n":1}`+"\n"+`{"user":"bob","n":2}`+"\n"+`{"user":"ada","n":3}`+"\n")
	write(t, dir, "logs/b/c.jsonl", `{"user":"cy","n":4}`+"\n")
	write(t, dir, "logs/not.txt", "not JSON\n")
	wasmill(t, dir, "run", "job.yaml").has(t, 0, "job first-seen finished in ")
	got := lines(t, filepath.Join(dir, "out"))
	slices.Sort(got)
	if !slices.Equal(got, []string{`{"user":"ada","n":1}`, `{"user":"bob","n":2}`, `{"user":"cy","n":4}`}) {
		t.Errorf("the job wrote %q", got)
	}
}

func TestReadme_JobHasFifteenLines(t *testing.T) {
	for _, b := range blocks(t, "../../README.md") {
		if b.file == "job.yaml" {
			if n := strings.Count(b.text, "\n"); n > 15 {
				t.Errorf("it has %d", n)
			}
			return
		}
	}
	t.Error("there is no job")
}

func TestGettingStarted_DoesWhatItShows(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules with Go for WebAssembly")
	}
	t.Parallel()
	follow(t, t.TempDir(), blocks(t, "../../docs/getting-started.md"))
}

func TestRunning_DoesWhatItShows(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules with Go for WebAssembly")
	}
	t.Parallel()
	follow(t, t.TempDir(), blocks(t, "../../docs/running.md"))
}

// languagePages are the pages that lead from an empty directory to a step in
// one language.
var languagePages = []string{"rust", "python", "go", "c", "typescript", "assemblyscript", "write-an-sdk"}

func TestLanguagePages_DoWhatTheyShow(t *testing.T) {
	if testing.Short() {
		t.Skip("builds steps in every language")
	}
	env := warm(t)
	for _, page := range languagePages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, t.TempDir(), blocks(t, "../../docs/"+page+".md"), slices.Concat(env, []string{"HOME=" + newHome(t)})...)
		})
	}
}

// newHome makes a home directory. In one that is new the go command leaves a
// process behind that writes there for a moment, so that it could not be
// removed; here it does not.
func newHome(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, ".config/go/telemetry/mode", "off")
	return dir
}

// warm returns the variables that keep the caches of package registries, what
// says where these are, and the tools themselves where they are, if HOME is
// another directory.
func warm(t *testing.T) (env []string) {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][2]string{
		{"CARGO_HOME", ".cargo"}, {"RUSTUP_HOME", ".rustup"}, {"npm_config_cache", ".npm"},
		{"PIP_CACHE_DIR", ".cache/pip"}, {"GOPATH", "go"}, {"PYENV_ROOT", ".pyenv"},
		{"npm_config_userconfig", ".npmrc"}, {"PIP_CONFIG_FILE", ".config/pip/pip.conf"}, {"GOENV", ".config/go/env"},
	} {
		value := os.Getenv(v[0])
		if value == "" {
			value = filepath.Join(home, v[1])
		}
		env = append(env, v[0]+"="+value)
	}
	return env
}
