package jobspec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jobspec.Schema(jobspectest.Registry())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("job.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("job.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance reads a fixture as an editor would: aliases and merges resolved,
// variables as they stand.
func instance(t *testing.T, path string) (any, bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return nil, false
	}
	text, err := json.Marshal(stringKeys(v))
	if err != nil {
		return nil, false
	}
	v, err = jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return v, err == nil
}

// stringKeys makes the keys of all maps strings, as JSON wants them.
func stringKeys(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = stringKeys(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = stringKeys(v[k])
		}
	case map[any]any:
		m := map[string]any{}
		for k, e := range v {
			m[fmt.Sprint(k)] = stringKeys(e)
		}
		return m
	}
	return v
}

func TestSchema_AcceptsGoodFixtures(t *testing.T) {
	s := compile(t)
	for _, path := range fixtures(t, "good") {
		v, ok := instance(t, path)
		if !ok {
			t.Fatalf("%s is not YAML", path)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Fixtures whose only faults no schema can see, and why.
var beyondSchema = map[string]string{
	"cycle":          "the graph",
	"duration-range": "bounds of a text with a unit",
	"modules":        "the file system",
	"refused":        "a check of the connector",
	"nested-path":    "paths of two sinks",
	"same-path":      "paths of two sinks",
	"set":            "--set",
	"two-documents":  "the schema is for one document",
	"variables":      "the environment",
	"unkeyed":        "the graph",
	"unread":         "references",
	"variable-typed": "the environment",
}

func TestSchema_RefusesBadFixtures(t *testing.T) {
	s := compile(t)
	checked := 0
	for _, path := range fixtures(t, "bad") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		v, ok := instance(t, path)
		if !ok {
			continue // not YAML, or not a map with string keys
		}
		checked++
		_, beyond := beyondSchema[name]
		switch err := s.Validate(v); {
		case err == nil && !beyond:
			t.Errorf("%s: the schema accepts it", path)
		case err != nil && beyond:
			t.Errorf("%s: said to be beyond a schema, yet: %v", path, err)
		}
	}
	if checked < 20 {
		t.Errorf("only %d fixtures were checked", checked)
	}
}

func TestSchema_IsStable(t *testing.T) {
	golden(t, filepath.Join("testdata", "schema.json"), string(jobspec.Schema(jobspectest.Registry())))
}

func TestReference_HasEveryKey(t *testing.T) {
	text := jobspec.Reference() + jobspec.ConnectorReference(jobspectest.Registry())
	var walk func(v any)
	keys := 0
	walk = func(v any) {
		m, ok := v.(map[string]any)
		if !ok {
			if l, ok := v.([]any); ok {
				for _, e := range l {
					walk(e)
				}
			}
			return
		}
		for name, sub := range m {
			if props, ok := sub.(map[string]any); ok && name == "properties" {
				for key := range props {
					keys++
					if !strings.Contains(text, "`"+key+"`") && key != string(jobspec.DeadLetter) && !slices.Contains([]string{"walk", "file", "stdout"}, key) {
						t.Errorf("the reference has no key %s", key)
					}
				}
			}
			walk(sub)
		}
	}
	var doc any
	if err := json.Unmarshal(jobspec.Schema(jobspectest.Registry()), &doc); err != nil {
		t.Fatal(err)
	}
	walk(doc)
	if keys < 50 {
		t.Errorf("found only %d keys in the schema", keys)
	}
}
