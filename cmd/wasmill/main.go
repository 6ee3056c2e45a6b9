// Command wasmill runs jobs. It parses, wires and exits; what it runs is in
// package host. Each command has a file of its own.
package main

import (
	"context"
	"os"

	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/tenant"
)

func main() {
	ctx := context.Background()
	if compile.Main(ctx) || tenant.Main(ctx, workerOptions) {
		return
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
