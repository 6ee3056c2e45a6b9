package guests_test

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
