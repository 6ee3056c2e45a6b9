// Program goguest asks the Go runtime for all that it gets through WASI.
package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

func main() {}

//go:wasmexport run
func run() int32 {
	if err := all(); err != nil {
		fmt.Fprintln(os.Stderr, "goguest:", err)
		return 1
	}
	return 0
}

func all() error {
	fmt.Println("args", os.Args, "A =", os.Getenv("A"))
	start := time.Now()
	fmt.Println("time", start.UTC().Format(time.RFC3339))
	time.Sleep(90 * time.Minute)
	fmt.Println("slept", time.Since(start).Round(time.Minute))
	select {
	case <-time.After(time.Hour):
		fmt.Println("timer")
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return err
	}
	fmt.Println("random", b != [8]byte{})
	fmt.Fprintf(os.Stderr, "%x\n", b)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	fmt.Printf("stdin %q\n", line)
	return files()
}

func files() error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fmt.Println("entry", e)
	}
	err = fs.WalkDir(os.DirFS("/lib"), ".", func(path string, d fs.DirEntry, err error) error {
		fmt.Println("walk", path)
		return err
	})
	if err != nil {
		return err
	}
	text, err := os.ReadFile("/lib/deep/../a.py")
	if err != nil {
		return err
	}
	fmt.Printf("file %q\n", text)
	f, err := os.Open("/hello.txt")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.Seek(-5, io.SeekEnd); err != nil {
		return err
	}
	tail, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	fmt.Println("tail", string(tail), info.Size(), info.ModTime().UTC().Format(time.DateOnly))
	for _, err := range []error{
		os.WriteFile("/new", nil, 0o600), os.Remove("/hello.txt"), os.Mkdir("/d", 0o700), os.Rename("/a", "/b"),
		open("/out"), open("/out/passwd"), open("/../../etc/passwd"), open("/proc/self/environ"), open("/missing"),
	} {
		fmt.Println("error", err)
		var sys interface{ Is(error) bool }
		if !errors.As(err, &sys) {
			return fmt.Errorf("%v is no error of the system", err)
		}
	}
	return nil
}

func open(name string) error {
	f, err := os.Open(name)
	if err == nil {
		f.Close()
	}
	return err
}
