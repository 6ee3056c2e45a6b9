// Package initjson reads the payload of wasmill_init. It is small so that a
// module need not carry encoding/json and package reflect.
package initjson

import (
	"errors"
	"strconv"
)

// Payload is what a step learns of itself. Config is raw JSON.
type Payload struct {
	Tenant, Job, Step string
	Task, Partitions  int64
	Config            []byte // nil if there is none
	Inputs            []string
	Outputs           []string
	Stores            []string
	Lookups           []string
	Limits            Limits
}

// Limits are the limits of an instance in bytes.
type Limits struct {
	Memory, Record, Batch, Emit, Key, StateValue, LogRate int64
}

var errSyntax = errors.New("wasmill: the payload of init is not the JSON that the interface describes")

// Parse reads data into p and keeps no part of it. Fields that it does not
// know are left out, as a later host may send more.
func Parse(data []byte, p *Payload) error {
	*p = Payload{}
	return object(data, func(key string, v []byte) (err error) {
		switch key {
		case "tenant":
			p.Tenant, err = text(v)
		case "job":
			p.Job, err = text(v)
		case "step":
			p.Step, err = text(v)
		case "task":
			p.Task, err = integer(v)
		case "partitions":
			p.Partitions, err = integer(v)
		case "config":
			p.Config = append([]byte(nil), v...)
		case "inputs":
			p.Inputs, err = texts(v)
		case "outputs":
			p.Outputs, err = texts(v)
		case "stores":
			p.Stores, err = texts(v)
		case "lookups":
			p.Lookups, err = texts(v)
		case "limits":
			err = limits(v, &p.Limits)
		}
		return err
	})
}

func limits(data []byte, l *Limits) error {
	fields := map[string]*int64{
		"memory": &l.Memory, "record": &l.Record, "batch": &l.Batch, "emit": &l.Emit,
		"key": &l.Key, "state_value": &l.StateValue, "log_rate": &l.LogRate,
	}
	return object(data, func(key string, v []byte) (err error) {
		if f := fields[key]; f != nil {
			*f, err = integer(v)
		}
		return err
	})
}

func texts(data []byte) (list []string, err error) {
	if string(data) == "null" {
		return nil, nil
	}
	err = array(data, func(v []byte) error {
		s, err := text(v)
		list = append(list, s)
		return err
	})
	return list, err
}

func integer(v []byte) (int64, error) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return 0, errSyntax
	}
	return n, nil
}
