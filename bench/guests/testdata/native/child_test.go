package main_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	_ "github.com/wasmill/wasmill/conformance/guests/go" // the step
	"github.com/wasmill/wasmill/sdk-go/benchhost"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// TestMain is the process that README.md describes. It gets its files after
// the flags of a test binary, of which there are none.
func TestMain(*testing.M) {
	if err := child(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(files []string) error {
	init, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	frame, err := os.ReadFile(files[1])
	if err != nil {
		return err
	}
	h := &least{}
	in := benchhost.New()
	if status := benchhost.Call(h, func() int32 { copy(in.Alloc(len(init)), init); return in.Init(in.Alloc(len(init))) }); status != 0 {
		return fmt.Errorf("init returns %d", status)
	}

	batch := func() error {
		status := benchhost.Call(h, func() int32 {
			at := in.Alloc(len(frame))
			copy(at, frame)
			return in.Process(1, at)
		})
		if status != 0 {
			return fmt.Errorf("the batch is refused: %d", status)
		}
		return nil
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "show" {
			h.keep = true
			if err := batch(); err != nil {
				return err
			}
			h.keep = false
			fmt.Println(last(h.frame))
			continue
		}
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		began := time.Now()
		for range n {
			if err := batch(); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(began).Nanoseconds())
	}
	return nil
}

// last returns the value of the last record of a frame.
func last(frame []byte) (value string) {
	var f record.Frame
	if err := f.Open(frame); err != nil {
		return err.Error()
	}
	var r record.Record
	var cause uint32
	for {
		ok, err := f.Next(&r, &cause)
		if !ok || err != nil {
			return value
		}
		value = string(r.Value)
	}
}

// least is the least host there can be.
type least struct {
	benchhost.Host // nil: nothing else is called
	keep           bool
	frame          []byte
}

func (h *least) Emit(frame []byte) int32 {
	if h.keep {
		h.frame = bytes.Clone(frame)
	}
	return 0
}

func (h *least) Fail(index uint32, code int32, message string) int32 {
	fmt.Fprintf(os.Stderr, "record %d failed with code %d: %s\n", index, code, message)
	return -22
}

func (h *least) Log(_ int32, message string) int32 { fmt.Fprintln(os.Stderr, message); return 0 }
func (h *least) LogEnabled(level int32) int32      { return min(level, 1) }
func (h *least) MetricDefine(_ int32, name string) int32 {
	return int32(binary.LittleEndian.Uint16([]byte(name)))
}
func (h *least) MetricAdd(int32, int64) int32 { return 0 }
