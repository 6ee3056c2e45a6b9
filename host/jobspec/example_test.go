package jobspec_test

import (
	"fmt"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

func ExampleParse() {
	job := `job: list
sources:
  docs:
    walk: {rot: .}
sinks:
  out: {from: dosc, stdout: {}}
`
	_, err := jobspec.Parse("job.yaml", []byte(job), jobspectest.Registry(), jobspec.Overrides{})
	fmt.Println(err)
	// Output:
	// job.yaml:4:12: unknown key "rot" in sources.docs.walk; did you mean "root"?
	//    4 |     walk: {rot: .}
	//      |            ^
	// job.yaml:6:15: sinks.out reads "dosc", which is neither a source nor a step; did you mean "docs"?
	//    6 |   out: {from: dosc, stdout: {}}
	//      |               ^
}
