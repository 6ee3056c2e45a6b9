// Command wasmill runs jobs. It parses, wires and exits; what it runs is in
// package host. Each command has a file of its own.
package main

import (
	"context"
	"os"

	"github.com/wasmill/wasmill/host/guest/compile"
)

func main() {
	if compile.Main(context.Background()) {
		return
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
