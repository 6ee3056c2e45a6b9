package guests_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/build/buildtest"
	"github.com/wasmill/wasmill/host/guest/compile"
)

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	if err := buildtest.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
