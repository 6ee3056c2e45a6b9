package scaffold

// language is one that wasmill new knows.
type language struct {
	name string // as the command line has it; dir does as well
	dir  string // below template, and of the SDK's zip below sdk
	test string // the command that runs the test of a new step
	also string // another name of it
}

var languages = []language{
	{"go", "go", "go test ./...", "golang"},
	{"rust", "rust", "cargo test", "rs"},
	{"python", "python", "python3 -m pytest", "py"},
	{"c", "c", "make test", ""},
	{"ts", "ts", "npm install && npm test", "typescript"},
	{"assemblyscript", "as", "npm install && npm test", "as"},
}

// Languages returns what Options.Lang may be, each under the name that pages
// use; rs, py, typescript and the like are taken too.
func Languages() []string {
	names := make([]string, len(languages))
	for i, l := range languages {
		names[i] = l.name
	}
	return names
}

// TestCommand returns the command that runs the test of a new step in its
// directory, "" for a language that is not known.
func TestCommand(lang string) string {
	if l := find(lang); l != nil {
		return l.test
	}
	return ""
}

func find(name string) *language {
	for i := range languages {
		if l := &languages[i]; name != "" && (l.name == name || l.also == name) {
			return l
		}
	}
	return nil
}
