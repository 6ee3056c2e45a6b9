package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build/buildtest"
	"github.com/wasmill/wasmill/host/guest/compile"
)

var (
	sdk           = flag.String("sdk", "", "run the cases of this SDK alone")
	rewrite       = flag.Bool("rewrite", false, "write what the Go SDK does into testdata as what is expected of all; read the diff")
	rewriteGolden = flag.Bool("rewrite-golden", false, "build the golden modules of the SDKs' current version")
)

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	flag.Parse()
	if err := buildtest.Use(); err != nil {
		fmt.Fprintln(os.Stderr, "guests are built with what is in PATH:", err)
	}
	code := m.Run()
	if err := closeEngine(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
