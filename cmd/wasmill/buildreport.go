package main

import (
	"fmt"
	"time"

	"github.com/wasmill/wasmill/host"
)

// buildReport is what wasmill build says, as JSON.
type buildReport struct {
	File        string             `json:"file,omitempty"` // that was written; none if it would be refused
	Bytes       int                `json:"bytes"`
	Digest      string             `json:"digest"`
	Language    string             `json:"language"`
	ABI         string             `json:"abi,omitempty"`
	Interpreter *interpreterReport `json:"interpreter,omitempty"` // of an archive
	Seconds     float64            `json:"seconds"`               // to build it
	Checked     float64            `json:"check_seconds"`         // to see whether it would run
	Runs        bool               `json:"runs"`
	Faults      []string           `json:"faults,omitempty"` // why it does not
}

type interpreterReport struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

func report(b *host.Built) *buildReport {
	r := &buildReport{
		Bytes: b.Bytes, Digest: b.Digest, Language: b.Language, ABI: b.ABI, Runs: b.Runs, Faults: b.Faults,
		Seconds: b.BuildTime.Seconds(), Checked: b.CheckTime.Seconds(),
	}
	if a := b.Archive; a != nil {
		r.ABI = a.ABI
		r.Interpreter = &interpreterReport{a.Interpreter.Name, a.Interpreter.Version, a.Interpreter.Digest}
	}
	return r
}

// table is the report for people.
func (r *buildReport) table() []byte {
	t := &labelled{}
	if r.File != "" {
		t.line("built", fmt.Sprintf("%s, %s", shown(r.File), size(int64(r.Bytes))))
	}
	t.line("digest", r.Digest)
	t.line("language", r.Language)
	if i := r.Interpreter; i != nil {
		t.line("runs on", fmt.Sprintf("%s %s, %s", quoted(i.Name), quoted(i.Version), i.Digest))
	}
	t.line("time", fmt.Sprintf("%s to build, %s to check", took(r.Seconds), took(r.Checked)))
	if !r.Runs {
		t.line("verdict", append([]string{"would be refused, so no file was written:"}, quotedAll(r.Faults)...)...)
	}
	return []byte(t.b.String())
}

func took(s float64) string { return seconds(time.Duration(s * float64(time.Second))) }
