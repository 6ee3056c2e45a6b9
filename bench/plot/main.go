// Command plot draws the figures of the benchmarks' results.
//
//	go test -bench . ./bench ./state/overlay | go run ./bench/plot [-o DIR]
//
// It reads what `go test -bench` prints, of one run or more, and writes
// the figures and guests.md, the tables of the languages, to DIR (default
// bench/figures). A figure whose benchmarks are not
// in the results is left as it is, which is said; that none are is an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("o", filepath.Join("bench", "figures"), "write the figures to this `directory`")
	flag.Parse()
	if err := run(os.Stdin, os.Stderr, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

// run draws the results read from in, and says on log what it did.
func run(in io.Reader, log io.Writer, dir string) error {
	r, err := parse(in)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	drawn := 0
	if text, ok := tables(r); ok {
		path := filepath.Join(dir, "guests.md")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(log, path)
	}
	for _, f := range figures {
		path := filepath.Join(dir, f.file)
		c, ok := f.make(r)
		if !ok {
			fmt.Fprintf(log, "%s stays as it is: its benchmarks are not in the results\n", path)
			continue
		}
		if err := os.WriteFile(path, c.svg(r.machine), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(log, path)
		drawn++
	}
	if drawn == 0 {
		return errors.New("no results to draw: give it the output of go test -bench on its standard input")
	}
	return nil
}
