// Every makes each call of the SDK once; what it does is in the records' values.
package main

import (
	"strconv"
	"strings"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func init() {
	wasmill.OnInit(func(cx *wasmill.Context) error {
		cx.Info("init " + cx.StepName() + " " + string(cx.ConfigJSON()))
		return nil
	})
	wasmill.Step(step)
	wasmill.OnEnd(end)
}

func main() {}

var records = wasmill.NewCounter("records")

type coded int32

func (c coded) Error() string { return "coded " + strconv.Itoa(int(c)) }
func (c coded) Code() int32   { return int32(c) }

func step(cx *wasmill.Context, r *wasmill.Record) error {
	records.Add(1)
	store := cx.Store("a")
	word, rest, _ := strings.Cut(string(r.Value), " ")
	switch word {
	case "emit":
		return cx.Emit(&wasmill.Record{Key: r.Key, Value: []byte(rest), Headers: r.Headers})
	case "emit-to":
		return cx.EmitTo(rest, &wasmill.Record{Time: wasmill.NoTime, Key: r.Key})
	case "many":
		n, _ := strconv.Atoi(rest)
		value := make([]byte, 100)
		for range n {
			if err := cx.Emit(&wasmill.Record{Value: value}); err != nil {
				return err
			}
		}
	case "fail":
		return coded(7)
	case "panic":
		var m map[string]int
		m["x"] = 1
	case "nil":
		var p *[100]int
		p[len(rest)] = 1
	case "print":
		println("printed " + rest)
	case "now":
		return cx.Emit(&wasmill.Record{Value: strconv.AppendInt(nil, cx.Now(), 10)})
	case "put":
		return store.Put(r.Key, []byte(rest))
	case "delete":
		return store.Delete(r.Key)
	case "get":
		v, ok, err := store.Get(r.Key)
		if err != nil {
			return err
		}
		return cx.Emit(&wasmill.Record{Key: r.Key, Value: strconv.AppendBool(append(v, ' '), ok)})
	case "get-many":
		var keys [][]byte
		for k := range strings.SplitSeq(rest, ",") {
			keys = append(keys, []byte(k))
		}
		values, err := store.GetMany(keys, nil)
		if err != nil {
			return err
		}
		for i, v := range values {
			if err := cx.Emit(&wasmill.Record{Key: keys[i], Value: v}); err != nil {
				return err
			}
		}
	case "scan":
		start, end, _ := strings.Cut(rest, ",")
		for e, err := range store.Scan([]byte(start), []byte(end)) {
			if err != nil {
				return err
			}
			if err := cx.Emit(&wasmill.Record{Key: e.Key, Value: e.Value}); err != nil {
				return err
			}
		}
	case "no-store":
		return cx.Store("missing").Put(r.Key, nil)
	case "unknown-output":
		return cx.EmitTo("missing", r)
	}
	return nil
}

func end(cx *wasmill.Context, token []byte) ([]byte, error) {
	n := len(token)
	if err := cx.Emit(&wasmill.Record{Value: strconv.AppendInt(nil, int64(n), 10)}); err != nil {
		return nil, err
	}
	if n == 2 {
		return nil, nil
	}
	return append(token, 'x'), nil
}
