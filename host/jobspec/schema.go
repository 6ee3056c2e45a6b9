package jobspec

import (
	"encoding/json"
	"time"

	"github.com/wasmill/wasmill/plugins"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

const namePattern = "[a-z][a-z0-9-]{0,62}"

// Schema returns the JSON Schema (draft 2020-12) of job files, made from the
// table that Parse reads by, for editors and other tools. It holds for what a
// file says by itself: references, cycles and modules are beyond it.
func Schema(reg *plugins.Registry) []byte {
	s := objectSchema(jobFields(reg))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "wasmill job"
	s["$defs"] = schema{
		"variable": schema{"type": "string", "pattern": `\$\{env:`, "description": "A variable of the environment: ${env:NAME} or ${env:NAME:-default}."},
		"name":     schema{"anyOf": []any{schema{"type": "string", "pattern": "^" + namePattern + "$"}, variableSchema}},
		"ref":      schema{"anyOf": []any{schema{"type": "string", "pattern": "^" + namePattern + `(\.` + namePattern + ")?$"}, variableSchema}},
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("jobspec: " + err.Error()) // maps, strings and numbers alone
	}
	return append(b, '\n')
}

var (
	variableSchema = schema{"$ref": "#/$defs/variable"}
	nameSchema     = schema{"$ref": "#/$defs/name"}
	refSchema      = schema{"$ref": "#/$defs/ref"}
)

// objectSchema is the schema of a map with these keys.
func objectSchema(fields []plugins.Field) schema {
	keys := schema{}
	var required []string
	for _, f := range fields {
		if f.Type == typeLater {
			continue
		}
		keys[f.Name] = fieldSchema(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	s := schema{"type": "object", "properties": keys, "additionalProperties": false}
	if required == nil {
		s["type"] = []string{"object", "null"}
	} else {
		s["required"] = required
	}
	return s
}

// fieldSchema is the schema of one key.
func fieldSchema(f plugins.Field) schema {
	s := typeSchema(f)
	s["description"] = f.Doc
	if d, ok := defaultText(f); ok {
		s["default"] = d
	}
	return s
}

// orVariable allows a variable beside other forms of a scalar.
func orVariable(forms ...any) schema { return schema{"anyOf": append(forms, variableSchema)} }

func typeSchema(f plugins.Field) schema {
	str := schema{"type": "string"}
	switch f.Type {
	case plugins.String:
		if len(f.Enum) > 0 {
			return orVariable(schema{"enum": f.Enum})
		}
		return str
	case plugins.Bool:
		return orVariable(schema{"type": "boolean"})
	case plugins.Int:
		return orVariable(schema{"type": "integer"})
	case plugins.Size:
		return orVariable(schema{"type": "integer", "minimum": 0},
			schema{"type": "string", "pattern": "^[0-9]+ ?([KMGT]iB|[kKMGT]?B)?$"})
	case plugins.Duration:
		return orVariable(schema{"const": 0}, schema{"type": "string", "pattern": "^([0-9]+(ns|us|µs|ms|s|m|h|d))+$|^0$"})
	case plugins.Path, typeModule:
		return schema{"type": "string", "minLength": 1}
	case plugins.Strings:
		return schema{"anyOf": []any{str, schema{"type": "array", "items": str}}}
	case plugins.Object:
		return objectSchema(f.Fields)
	case typeName:
		return schema{"anyOf": []any{nameSchema}}
	case typeNames:
		return schema{"type": "array", "minItems": 1, "uniqueItems": true, "items": nameSchema}
	case typeCount:
		return orVariable(schema{"type": "integer", "minimum": 1, "maximum": maxCount})
	case typeRate:
		return orVariable(schema{"type": "string", "pattern": "^([0-9]+(ns|us|µs|ms|s|m|h|d))+/s$"})
	case typeRefs:
		return schema{"anyOf": []any{refSchema, schema{"type": "array", "minItems": 1, "uniqueItems": true, "items": refSchema}}}
	case typeKey:
		return orVariable(schema{"const": true}, schema{"type": "string", "pattern": "^(/([^~]|~[01])*)?$"})
	case typePolicy:
		return orVariable(schema{"enum": []any{Fail, Skip}}, objectSchema(letterFields))
	case typeMap:
		return mapSchema(f)
	}
	return schema{} // typeJSON
}

// mapSchema is the schema of a map of names, with what holds between the keys
// of a source, step or sink.
func mapSchema(f plugins.Field) schema {
	each := objectSchema(f.Fields)
	switch f.Name {
	case "sources", "sinks":
		var one []any
		for _, c := range f.Fields {
			if c.Type == plugins.Object {
				one = append(one, schema{"required": []string{c.Name}})
			}
		}
		if one != nil {
			each["type"], each["oneOf"] = "object", one
		}
	case "steps":
		each["anyOf"] = []any{schema{"required": []string{"wasm"}}, schema{"required": []string{"key"}}}
		needs := schema{"partitions": []string{"key"}}
		for _, name := range needWasm {
			needs[name] = []string{"wasm"}
		}
		each["dependentRequired"] = needs
	}
	s := schema{
		"type":                 []string{"object", "null"},
		"propertyNames":        schema{"pattern": "^" + namePattern + "$"},
		"additionalProperties": each,
		"maxProperties":        maxEntries,
	}
	if f.Required {
		s["type"], s["minProperties"] = "object", 1
	}
	return s
}

// defaultText is a field's default as a job file would write it.
func defaultText(f plugins.Field) (any, bool) {
	switch d := f.Default.(type) {
	case nil, keyDefaults:
		return nil, false
	case time.Duration:
		return FormatDuration(d), true
	case int64:
		if f.Type == plugins.Size {
			return FormatSize(d), true
		}
		return d, true
	case policy:
		return string(d.Action), true
	default:
		return d, true
	}
}
