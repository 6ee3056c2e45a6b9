package jobspec

import (
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/plugins"
)

// Reference returns the keys of job files as Markdown tables, made from the
// table that Parse reads by; connectors are left to ConnectorReference.
func Reference() string {
	return tables("", jobFields(&plugins.Registry{}))
}

// ConnectorReference returns the keys of a binary's connectors as Markdown.
func ConnectorReference(reg *plugins.Registry) string {
	var b strings.Builder
	for _, k := range reg.Sources() {
		fmt.Fprintf(&b, "### `sources.NAME.%s`\n\n%s\n\n%s", k.Name, k.Doc, tables("sources.NAME."+k.Name, k.Fields))
	}
	for _, k := range reg.Sinks() {
		fmt.Fprintf(&b, "### `sinks.NAME.%s`\n\n%s\n\n%s", k.Name, k.Doc, tables("sinks.NAME."+k.Name, k.Fields))
	}
	return b.String()
}

// tables writes one table for the keys of an object, and one for each object
// below it.
func tables(path string, fields []plugins.Field) string {
	var b, below strings.Builder
	b.WriteString("| key | holds | default | |\n|---|---|---|---|\n")
	for _, f := range fields {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, holds(f), shownDefault(f), inTable.Replace(f.Doc))
		inner := join(path, f.Name)
		if f.Type == typeMap {
			inner += ".NAME"
		}
		if len(f.Fields) > 0 {
			fmt.Fprintf(&below, "### `%s`\n\n%s", inner, tables(inner, f.Fields))
		}
	}
	b.WriteString("\n")
	return b.String() + below.String()
}

// inTable escapes what Markdown would take for its own.
var inTable = strings.NewReplacer("*", `\*`, "|", `\|`, "<", `\<`)

// holds says what a key can hold.
func holds(f plugins.Field) string {
	if len(f.Enum) > 0 {
		return "`" + strings.Join(f.Enum, "`, `") + "`"
	}
	switch f.Type {
	case plugins.Bool:
		return "`true`, `false`"
	case plugins.Int:
		return "whole number"
	case plugins.Strings:
		return "string or list"
	case plugins.Object:
		return "keys below"
	case typeName:
		return "name"
	case typeNames:
		return "list of names"
	case typeCount:
		return "1 to 10,000"
	case typeRate:
		return "CPU time a second"
	case typeRefs:
		return "reference or list"
	case typeKey:
		return "JSON Pointer or `true`"
	case typePolicy:
		return "`fail`, `skip`, `{dead_letter: SINK}`"
	case typeModule:
		return "path"
	case typeJSON:
		return "anything"
	case typeMap:
		return "names, keys below"
	case typeLater:
		return "*not in this build yet*"
	}
	return string(f.Type) // string, size, duration, path
}

func shownDefault(f plugins.Field) string {
	d, ok := defaultText(f)
	switch list := d.(type) {
	case []string:
		d = "[" + strings.Join(list, ", ") + "]"
	}
	switch {
	case f.Required:
		return "required"
	case !ok:
		return ""
	}
	return fmt.Sprintf("`%v`", d)
}
