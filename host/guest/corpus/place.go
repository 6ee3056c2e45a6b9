package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// place says where everything is: the repository, the tools, the cache.
type place struct {
	root  string            // of the repository
	cache string            // for built modules
	tools map[string]string // paths by name, as scripts/toolchains.sh wrote them
}

const runToolchains = "run make toolchains, which installs what the guests of the corpus are built with"

var findPlace = sync.OnceValues(func() (*place, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	cache, err := cachedir.Make("", "corpus")
	if err != nil {
		return nil, err
	}
	tools, err := readTools()
	if err != nil {
		return nil, err
	}
	return &place{root, cache, tools}, nil
})

// repository looks for the root from the directory of the test upwards.
func repository() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/wasmill/wasmill\n") {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", errors.New("the working directory is not in wasmill's repository, where the source of the guests is")
		}
		at = up
	}
}

func readTools() (map[string]string, error) {
	dir := os.Getenv("WASMILL_TOOLCHAINS")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache directory for toolchains: %w; set HOME or WASMILL_TOOLCHAINS", err)
		}
		dir = filepath.Join(user, "wasmill", "toolchains")
	}
	f, err := os.Open(filepath.Join(dir, "tools"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no toolchains in %s: %s", dir, runToolchains)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tools := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, path, _ := strings.Cut(lines.Text(), " ")
		tools[name] = path
	}
	return tools, nil
}

// tool returns the path of a tool that has to be there.
func (p *place) tool(name string) (string, error) {
	path, ok := p.tools[name]
	if !ok {
		return "", fmt.Errorf("the toolchains have no %s: %s", name, runToolchains)
	}
	return path, nil
}

// source returns the directory of a guest's source.
func (p *place) source(name string) string {
	return filepath.Join(p.root, "host", "guest", "corpus", "testdata", name)
}

var modules sync.Map // name to func() ([]byte, error)

// built returns the module of that name, which make makes once a process.
func built(t testing.TB, name string, make func(*place) ([]byte, error)) []byte {
	t.Helper()
	once, _ := modules.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) {
		p, err := findPlace()
		if err != nil {
			return nil, err
		}
		return make(p)
	}))
	wasm, err := once.(func() ([]byte, error))()
	if err != nil {
		t.Fatalf("corpus: %s: %v", name, err)
	}
	return wasm
}
