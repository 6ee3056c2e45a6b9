package compile_test

import (
	"context"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/compile"
)

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	os.Exit(m.Run())
}

// open opens a cache that is closed with the test.
func open(tb testing.TB, o compile.Options) *compile.Cache {
	tb.Helper()
	c, err := compile.Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return c
}
