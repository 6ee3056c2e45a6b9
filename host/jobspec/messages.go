package jobspec

// message is the format of a fault. All of them stand here, so that a test
// can see that each has a fixture with its exact text.
type message string

// Faults of the file as a whole.
const (
	msgTooLarge   message = "the file is larger than 1 MiB"
	msgUTF8       message = "not UTF-8 from here on: save the file as UTF-8"
	msgSyntax     message = "not YAML: %s"
	msgTab        message = "a tab cannot indent: use spaces"
	msgFlowEnv    message = "not YAML: inside { } and [ ] a variable needs quotes: \"${env:NAME}\""
	msgEmpty      message = "the file holds no job: it needs at least job:, sources: and sinks:"
	msgDocuments  message = "a second document begins here: a file holds one job"
	msgDeep       message = "nested deeper than 64 levels"
	msgMany       message = "more than 100,000 values, aliases counted as often as they are used"
	msgSelf       message = "the alias %q stands inside of what it names"
	msgTag        message = "the tag %s is not supported: only !!str, !!int, !!float, !!bool, !!null, !!seq and !!map are"
	msgTagged     message = "%s is not what its tag %s says"
	msgKeyKind    message = "a key must be a single word"
	msgDuplicate  message = "key %q is here a second time: it stands at line %d already"
	msgMerge      message = "<< takes a map or a list of maps"
	msgNumber     message = "the number %s has no form in JSON: quote it if it is a string"
	msgTooMany    message = "more than 1,000 entries in %s"
	msgVariable   message = "%s is no variable: write ${env:NAME} or ${env:NAME:-default}, and $${ for a literal ${"
	msgUnset      message = "the environment has no %s: set it or write ${env:%s:-default}"
	msgSetForm    message = "write path=value, such as sources.docs.walk.root=./docs"
	msgSetPath    message = "cannot set %s: %s is %s"
	msgSetIndex   message = "cannot set %s: %s has %d entries, numbered from 0"
	msgSetDocs    message = "the value holds more than one document"
	msgSetSyntax  message = "the value is not YAML: %s"
	msgSetElement message = "the path %s has an empty name"
)

// Faults of single values.
const (
	msgUnknown    message = "unknown key %q in %s%s"
	msgLater      message = "%s is not in this build yet: %s"
	msgRequired   message = "%s needs %s: (%s)"
	msgType       message = "%s must be %s, not %s"
	msgEnum       message = "%s must be %s, not %s%s"
	msgRefused    message = "%s: %v"
	msgName       message = "%s %q is not a name: it must match [a-z][a-z0-9-]{0,62}"
	msgCount      message = "%s must be from 1 to 10,000, not %s"
	msgSize       message = "%s: %q is not a size: write bytes or a number with KiB, MiB, GiB, TiB, kB, MB, GB or TB, such as 64MiB%s"
	msgRate       message = "%s: %q is not CPU time a second: write a duration of 1ms or more and /s, such as 500ms/s, or 2s/s for two CPUs"
	msgDuration   message = "%s: %q is not a duration: write numbers with ns, us, ms, s, m, h or d, such as 100ms, 7d or 1h30m%s"
	msgNoPath     message = "%s must not be empty"
	msgTwice      message = "%s has %q twice"
	msgNoElements message = "%s must not be empty: name at least one"
)

// Faults of the job.
const (
	msgNoConnector  message = "%s needs a connector: %s"
	msgConnectors   message = "%s has two connectors, %s and %s: it takes one"
	msgNothing      message = "%s does nothing: it needs wasm: or key:"
	msgNeedsWasm    message = "%s has no meaning without wasm:"
	msgPartitions   message = "%s has no meaning without key:"
	msgTasks        message = "%s must not be more than its %d partitions"
	msgTaken        message = "%s %q has the name of a source: sources and steps share their names"
	msgDangling     message = "%s reads %q, which is neither a source nor a step%s"
	msgReadsSink    message = "%s reads %q, which is a sink: read what the sink reads"
	msgNoOutput     message = "%s has no output %q: it has %s%s"
	msgSourceOutput message = "%q is a source and has no outputs: write %s"
	msgReadTwice    message = "%s reads %s twice"
	msgCycle        message = "the steps go round in a circle: %s"
	msgUnreadSource message = "nothing reads the source %q: name it in a from:, or remove it"
	msgUnreadStep   message = "nothing reads the step %q, and it keeps no store: name it in a from:, or remove it"
	msgNoFrom       message = "%s needs from:, since it gets no dead letters either"
	msgLetterSink   message = "dead letters go to %q, which is not a sink%s"
	msgLetterForm   message = "%s must be fail, skip or {dead_letter: SINK}, not %s"
	msgKeyForm      message = "%s must be a JSON Pointer such as /user/id, or true for the record's own key, not %s"
	msgPointer      message = "%s: %q is not a JSON Pointer: it begins with / and has ~ only as ~0 and ~1"
	msgUnkeyed      message = "%s has a store, but its records do not come by key: %s"
	msgSamePath     message = "%s and %s write to one path: give each its own"
	msgNestedPath   message = "%s writes to a directory inside of that of %s: give each its own"
	msgNoModule     message = "%s: %s does not exist%s"
	msgModuleKind   message = "%s: %s is neither a directory with source nor a .wasm or .wasmill file"
	msgModuleAccess message = "%s: %s cannot be looked at: %s"
	msgNoSource     message = "%s: the directory %s holds no source: steps are built from one that has %s"
	msgOCI          message = "%s: reading a module from a registry, as %s asks, is not in this build yet: name a directory or a .wasm file"
)

// Suggestions at the end of a fault.
const (
	whySource = "it reads the source %s directly: give it a key:"
	whyModule = "the module of step %s may change the key: give this step a key:, or say keeps_key: true there if it does not"

	hintNear    = "; did you mean %q?"
	hintKnown   = "; known are %s"
	hintWorkDir = " in the working directory"
	hintJobDir  = " beside the job file"
	hintUnit    = "; did you mean %s?"
)
