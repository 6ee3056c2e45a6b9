package main

import (
	"fmt"
	"strconv"
	"strings"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func state(cx *wasmill.Context, r *wasmill.Record) error {
	words := strings.Split(string(r.Value), " ")
	command := words[0]
	args := make([][]byte, len(words))
	for i, w := range words[1:] {
		args[i] = []byte(w)
	}
	store := cx.Store("state")
	emit := func(value []byte) error {
		return cx.Emit(&wasmill.Record{Key: []byte(command), Value: value})
	}
	switch command {
	case "put":
		return store.Put(args[0], args[1])
	case "get":
		v, ok, err := store.Get(args[0])
		if err != nil {
			return err
		}
		if !ok {
			v = nil
		}
		return emit(v)
	case "delete":
		return store.Delete(args[0])
	case "count":
		n, err := add(store, args[0])
		if err != nil {
			return err
		}
		return emit(n)
	case "scan":
		for e, err := range store.Scan(bound(args[0]), bound(args[1])) {
			if err != nil {
				return err
			}
			if err := emit(fmt.Appendf(nil, "%s=%s", e.Key, e.Value)); err != nil {
				return err
			}
		}
		return nil
	case "many":
		values, err := store.GetMany(args[:len(words)-1], nil)
		if err != nil {
			return err
		}
		for _, v := range values {
			if err := emit(v); err != nil {
				return err
			}
		}
		return nil
	case "big":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		return store.Put(args[0], []byte(strings.Repeat("x", n)))
	}
	return fmt.Errorf("no command %s", command)
}

// bound is a bound of a scan; "-" is open.
func bound(word []byte) []byte {
	if string(word) == "-" {
		return nil
	}
	return word
}

// add adds 1 to the number at key, in decimal, and returns it.
func add(store *wasmill.Store, key []byte) ([]byte, error) {
	v, ok, err := store.Get(key)
	if err != nil {
		return nil, err
	}
	n := 0
	if ok {
		if n, err = strconv.Atoi(string(v)); err != nil {
			return nil, err
		}
	}
	v = strconv.AppendInt(nil, int64(n+1), 10)
	return v, store.Put(key, v)
}

func count(cx *wasmill.Context, r *wasmill.Record) error {
	_, err := add(cx.Store("state"), r.Key)
	return err
}

// page is how many entries one call of end emits.
const page = 2

func counted(cx *wasmill.Context, token []byte) (next []byte, err error) {
	n := 0
	for e, err := range cx.Store("state").Scan(token, nil) {
		if err != nil {
			return nil, err
		}
		if n == page {
			return append([]byte{}, e.Key...), nil
		}
		n++
		if err := cx.Emit(&wasmill.Record{Key: e.Key, Value: e.Value}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
