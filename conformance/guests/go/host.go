package main

import (
	"fmt"
	"strconv"
	"strings"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func configured(cx *wasmill.Context, _ *wasmill.Record) error {
	list := make([]string, len(settings.List))
	for i, n := range settings.List {
		list[i] = strconv.FormatInt(n, 10)
	}
	nothing := "null"
	if settings.Nothing != nil {
		nothing = fmt.Sprint(settings.Nothing)
	}
	for _, line := range []string{
		"text=" + settings.Text,
		"number=" + strconv.FormatInt(settings.Number, 10),
		"list=" + strings.Join(list, ","),
		"flag=" + strconv.FormatBool(settings.Flag),
		"nothing=" + nothing,
		"nested=" + settings.Nested.A.B,
	} {
		if err := value(cx, line); err != nil {
			return err
		}
	}
	return nil
}

func log(cx *wasmill.Context, r *wasmill.Record) error {
	level, text, _ := strings.Cut(string(r.Value), " ")
	switch level {
	case "debug":
		cx.Debug(text)
	case "info":
		cx.Info(text)
	case "warn":
		cx.Warn(text)
	case "error":
		cx.Error(text)
	default:
		return fmt.Errorf("no level %s", level)
	}
	if cx.DebugEnabled() {
		return value(cx, "1")
	}
	return value(cx, "0")
}

var (
	seen  = wasmill.NewCounter("seen")
	bytes = wasmill.NewGauge("bytes")
)

func metrics(_ *wasmill.Context, r *wasmill.Record) error {
	seen.Add(1)
	bytes.Add(int64(len(r.Value)))
	return nil
}

func info(cx *wasmill.Context, b *wasmill.Batch) error {
	name, number := b.Partition()
	for r := range b.All() {
		at := "none"
		if r.Time != wasmill.NoTime {
			at = strconv.FormatInt(r.Time, 10)
		}
		for _, line := range []string{
			fmt.Sprint(cx.Job(), " ", cx.StepName(), " ", cx.Tenant(), " ", cx.Task(), " ", cx.Partitions(), " ",
				strings.Join(cx.Inputs(), ","), " ", strings.Join(cx.Outputs(), ",")),
			fmt.Sprint(number, " ", string(name), " ", r.Position, " ", r.Stream, " ", at),
		} {
			if err := value(cx, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func now(cx *wasmill.Context, _ *wasmill.Record) error {
	for range 2 {
		if err := value(cx, strconv.FormatInt(cx.Now(), 10)); err != nil {
			return err
		}
	}
	return nil
}
