package build

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/wasmill/wasmill/host/guest/archive"
)

// bundle makes one module of a step and all that it imports, and its source
// map: the files that the engine reads. sdk is the directory of the SDK, "" if
// it is to be found in node_modules.
func bundle(dir, entry, sdk string) ([]archive.File, error) {
	if sdk != "" {
		if _, err := os.Stat(filepath.Join(sdk, "package.json")); err != nil {
			return nil, fmt.Errorf("build: %s: the SDK should be in %s, which has no package.json: put it back (wasmill new writes it)", dir, sdk)
		}
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir,
		EntryPoints:   []string{filepath.FromSlash(entry)},
		Outfile:       filepath.Join(dir, "step.js"), // nothing is written: it is what paths in the map are relative to
		Bundle:        true,
		Format:        api.FormatESModule,
		// Neither a browser nor Node.js: packages that need one of them do not
		// resolve, rather than fail when a record comes.
		Platform:       api.PlatformNeutral,
		MainFields:     []string{"module", "main"},
		Conditions:     []string{"wasmill", "module"},
		Target:         api.ES2024, // what QuickJS knows; newer syntax is written in older
		Charset:        api.CharsetUTF8,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LegalComments:  api.LegalCommentsInline,
		Define:         map[string]string{"process.env.NODE_ENV": `"production"`, "global": "globalThis"},
		Loader:         map[string]api.Loader{".txt": api.LoaderText, ".bin": api.LoaderBinary},
		Plugins:        []api.Plugin{findSDK(sdk)},
		LogLevel:       api.LogLevelSilent,
		LogLimit:       10,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("build: %s: the step could not be bundled:%s", dir, listMessages(result.Errors))
	}
	var files []archive.File
	for _, f := range result.OutputFiles {
		files = append(files, archive.File{Name: filepath.Base(f.Path), Data: f.Contents})
	}
	return files, nil
}

// findSDK takes the package wasmill from the directory sdk. Its files are named
// as of a place of their own, so that the bundle does not tell where it lies.
func findSDK(sdk string) api.Plugin {
	const place = "wasmill"
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		name := "index.js"
		if args.Namespace == place {
			name = path.Join(path.Dir(args.Importer), args.Path)
		}
		return api.OnResolveResult{Path: name, Namespace: place}, nil
	}
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(filepath.Join(sdk, "src", filepath.FromSlash(args.Path)))
		code := string(text)
		return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS}, err
	}
	return api.Plugin{Name: place, Setup: func(b api.PluginBuild) {
		if sdk == "" {
			return
		}
		b.OnResolve(api.OnResolveOptions{Filter: `^wasmill$`}, resolve)
		b.OnResolve(api.OnResolveOptions{Filter: `.*`, Namespace: place}, resolve)
		b.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: place}, load)
	}}
}

// listMessages writes what esbuild found as compilers do, a line each.
func listMessages(all []api.Message) string {
	var b strings.Builder
	for _, m := range all {
		b.WriteString("\n")
		if m.Location != nil {
			fmt.Fprintf(&b, "%s:%d:%d: ", path.Clean(filepath.ToSlash(m.Location.File)), m.Location.Line, m.Location.Column+1)
		}
		b.WriteString(m.Text)
		b.WriteString(whatToDo(m))
	}
	return shorten(b.String())
}

// unresolved finds in a message of esbuild the package that is not there.
var unresolved = regexp.MustCompile(`^Could not resolve "([^"./][^"]*)"`)

// whatToDo returns what helps against a message, "" if it says that itself.
func whatToDo(m api.Message) string {
	found := unresolved.FindStringSubmatch(m.Text)
	switch {
	case strings.Contains(m.Text, `"wasmill"`):
		return ": run npm install, or put the SDK into .wasmill/sdk as wasmill new does"
	case found == nil:
		return ""
	case slices.ContainsFunc(m.Notes, func(n api.Note) bool { return strings.Contains(n.Text, "built into node") }):
		return ": it is a part of Node.js, of which nothing is there when the step runs"
	default:
		return ": if it is a package of npm, install it in the step's directory"
	}
}
