package jobspec

import (
	"fmt"
	"slices"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/plugins"
)

// Types of fields that only the job file itself has. Together with those of
// plugins they are all that a key can hold.
const (
	typeName   plugins.Type = "name"   // [a-z][a-z0-9-]{0,62}; a string
	typeNames  plugins.Type = "names"  // a list of different names; []string
	typeCount  plugins.Type = "count"  // 1 to 10,000; int64
	typeRate   plugins.Type = "rate"   // CPU time a second; time.Duration
	typeRefs   plugins.Type = "refs"   // source, step or step.output, or a list of them; []ref
	typeKey    plugins.Type = "key"    // JSON Pointer or true; *Key
	typePolicy plugins.Type = "policy" // fail, skip or {dead_letter: SINK}; policy
	typeModule plugins.Type = "module" // where a module is; a string
	typeJSON   plugins.Type = "json"   // any value; as node.value returns it
	typeMap    plugins.Type = "map"    // names to objects with Fields; []named
	typeLater  plugins.Type = "later"  // a key that this build lacks
)

// The bounds of counts, and of what a map of names may hold.
const (
	maxCount   = 10_000
	maxEntries = 1_000
)

// jobFields are the keys of a job file. This one declaration feeds parsing,
// faults, the JSON Schema and the reference page.
func jobFields(reg *plugins.Registry) []plugins.Field {
	return []plugins.Field{
		{Name: "job", Type: typeName, Required: true, Doc: "Name of the job; its state and metrics carry it."},
		{Name: "sources", Type: typeMap, Required: true, Fields: sourceFields(reg), Doc: "Where records come from."},
		{Name: "steps", Type: typeMap, Fields: stepFields(), Doc: "What happens to them."},
		{Name: "sinks", Type: typeMap, Fields: sinkFields(reg), Doc: "Where records go."},
		{Name: "on_error", Type: plugins.Object, Default: keyDefaults{}, Fields: errorFields(), Doc: "What follows on errors."},
		{Name: "guarantee", Type: plugins.String, Default: string(ExactlyOnce), Enum: []string{string(ExactlyOnce), string(AtLeastOnce)},
			Doc: "What the job promises of its sinks. Those of this build keep the stronger promise under both."},
		{Name: "epoch", Type: plugins.Duration, Default: 100 * time.Millisecond, Check: durationIn(time.Millisecond, time.Hour),
			Doc: "Time between two commits, from 1ms to 1h."},
		{Name: "limits", Type: plugins.Object, Default: keyDefaults{}, Fields: limitFields(), Doc: "Bounds on what a module may take."},
		{Name: "state_dir", Type: plugins.Path, Doc: "Directory of the job's state; by default .wasmill/JOB beside the job file."},
		{Name: "tables", Type: typeLater, Doc: "Lookup data outside of the job."},
	}
}

func sourceFields(reg *plugins.Registry) []plugins.Field {
	var f []plugins.Field
	for _, k := range reg.Sources() {
		f = append(f, plugins.Field{Name: k.Name, Type: plugins.Object, Fields: k.Fields, Doc: k.Doc})
	}
	f = append(f, plugins.Field{Name: "tasks", Type: typeCount, Doc: "How many tasks read the source; by default as many as there are CPUs."})
	return append(f, laterConnectors(f)...)
}

func sinkFields(reg *plugins.Registry) []plugins.Field {
	f := []plugins.Field{{Name: "from", Type: typeRefs, Doc: "What the sink reads; a sink of dead letters alone has none."}}
	for _, k := range reg.Sinks() {
		f = append(f, plugins.Field{Name: k.Name, Type: plugins.Object, Fields: k.Fields, Doc: k.Doc})
	}
	return append(f, laterConnectors(f)...)
}

// laterConnectors are the connectors that a build may lack.
func laterConnectors(have []plugins.Field) []plugins.Field {
	var f []plugins.Field
	for _, later := range []plugins.Field{
		{Name: "kafka", Type: typeLater, Doc: "Topics of Apache Kafka."},
		{Name: "hdfs", Type: typeLater, Doc: "Files in HDFS."},
		{Name: "http", Type: typeLater, Doc: "An HTTP service."},
	} {
		if !slices.ContainsFunc(have, func(k plugins.Field) bool { return k.Name == later.Name }) {
			f = append(f, later)
		}
	}
	return f
}

func stepFields() []plugins.Field {
	store := []plugins.Field{{Name: "ttl", Type: typeLater, Doc: "How long an entry is kept."}}
	return []plugins.Field{
		{Name: "from", Type: typeRefs, Required: true, Doc: "What the step reads: a source, a step, step.output, or a list of them."},
		{Name: "wasm", Type: typeModule, Doc: "The module: a directory with source, a .wasm file or a .wasmill archive. Without it the step hands records on."},
		{Name: "config", Type: typeJSON, Doc: "Any value; the module gets it as JSON."},
		{Name: "key", Type: typeKey, Doc: "Repartitions before the step: a JSON Pointer into the value, or true for the record's own key."},
		{Name: "keeps_key", Type: plugins.Bool, Default: false, Doc: "Says that the module's records keep the key of their cause, so that a store may follow."},
		{Name: "stores", Type: typeMap, Fields: store, Doc: "Keyed state of the step; it needs records that come by key."},
		{Name: "outputs", Type: typeNames, Default: []string{defaultOutput}, Doc: "Names of the module's outputs, the first is the default; by default one named out."},
		{Name: "tasks", Type: typeCount, Doc: "How many tasks run the step; by default as many as its input has, behind key: as many as partitions."},
		{Name: "partitions", Type: typeCount, Doc: "Into how many partitions key: divides; by default as many as there are CPUs, or tasks if that is more."},
		{Name: "on_error", Type: plugins.Object, Fields: stepErrorFields, Doc: "The step's own policy in place of the job's."},
		{Name: "lookups", Type: typeLater, Doc: "Rows of tables that come with each record."},
	}
}

// defaultOutput is the output of a step that names none.
const defaultOutput = "out"

var stepErrorFields = []plugins.Field{
	{Name: "record", Type: typePolicy, Doc: "For a record that fails: fail, skip or {dead_letter: SINK}; by default as the job says."},
}

func errorFields() []plugins.Field {
	return []plugins.Field{
		{Name: "record", Type: typePolicy, Default: policy{RecordPolicy: RecordPolicy{Action: Fail}},
			Doc: "For a record that fails: fail, skip or {dead_letter: SINK}."},
		{Name: "module", Type: plugins.String, Default: string(ModuleRestart), Enum: []string{string(ModuleRestart), string(ModuleFail)},
			Doc: "For a module that fails whatever the record."},
		{Name: "source", Type: plugins.String, Default: string(SourceFail), Enum: []string{string(SourceFail), string(SourceSkip)},
			Doc: "For parts of a source that cannot be read."},
	}
}

func limitFields() []plugins.Field {
	bytes := sizeField("bytes", defaultBatchBytes, 1<<10, 64<<20, "Bytes of one batch, by default at most 256KiB")
	bytes.Default = nil
	batch := []plugins.Field{
		{Name: "records", Type: typeCount, Doc: "Records of one batch, by default at most 1,024."},
		bytes,
		{Name: "time", Type: plugins.Duration, Check: durationIn(100*time.Microsecond, 10*time.Millisecond),
			Doc: "CPU time that one batch is to take, from 100us to 10ms: batches of a step become as small as that needs. By default 2ms if neither records nor bytes are fixed, else batches are not sized by time."},
	}
	return []plugins.Field{
		sizeField("memory", 64<<20, 64<<10, 4<<30, "Memory of one instance"),
		sizeField("max_record", abi.MaxRecord, 1, 64<<20, "The longest record: key, value and headers"),
		sizeField("max_emit", abi.MaxEmit, 1<<10, 1<<30, "What one call of a module may emit"),
		sizeField("max_key", abi.MaxKey, 1, 64<<10, "The longest key of a record or of a store"),
		sizeField("max_value", abi.MaxStateValue, 1, 64<<20, "The longest value of a store"),
		sizeField("max_log", abi.MaxLogRate, 0, 1<<30, "What one instance may log in a second"),
		{Name: "batch", Type: plugins.Object, Default: keyDefaults{}, Fields: batch, Doc: "The size of batches."},
		{Name: "record", Type: plugins.Duration, Default: DefaultRecordTime, Check: durationIn(10*time.Millisecond, 10*time.Minute),
			Doc: "CPU time that one record may take in a module, from 10ms to 10m; one that takes longer goes to on_error.record."},
		{Name: "cpu", Type: typeRate, Doc: "CPU time a second that the modules of the job may take together, such as 500ms/s; without it as much as there is."},
		{Name: "state", Type: typeLater, Doc: "Bytes of the job's state."},
	}
}

// sizeField declares a size with its bounds, which its Doc tells.
func sizeField(name string, def, least, most int64, doc string) plugins.Field {
	return plugins.Field{
		Name:    name,
		Type:    plugins.Size,
		Default: def,
		Doc:     fmt.Sprintf("%s, from %s to %s.", doc, FormatSize(least), FormatSize(most)),
		Check: func(v any) error {
			if n := v.(int64); n < least || n > most {
				return fmt.Errorf("must be from %s to %s, not %s", FormatSize(least), FormatSize(most), FormatSize(n))
			}
			return nil
		},
	}
}

func durationIn(least, most time.Duration) func(any) error {
	return func(v any) error {
		if d := v.(time.Duration); d < least || d > most {
			return fmt.Errorf("must be from %s to %s, not %s", FormatDuration(least), FormatDuration(most), FormatDuration(d))
		}
		return nil
	}
}
