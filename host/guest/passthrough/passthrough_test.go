package passthrough_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

var rewrite = flag.Bool("rewrite", false, "write passthrough.wasm anew")

func TestWasm_IsWhatTheAssemblerMakes(t *testing.T) {
	want := wasmtest.PassThrough()
	if *rewrite {
		if err := os.WriteFile("passthrough.wasm", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(passthrough.Wasm, want) {
		t.Fatal("passthrough.wasm differs from wasmtest.PassThrough: run go test ./host/guest/passthrough -rewrite")
	}
}
