package wasm_test

import (
	"strings"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

const head = "\x00asm\x01\x00\x00\x00"

// section returns a section of a module.
func section(id byte, parts ...string) string {
	return string(wasm.AppendSection(nil, id, []byte(strings.Join(parts, ""))))
}

func u32(n int) string { return string(wasm.AppendU32(nil, uint32(n))) }

// function returns a module of one function () -> () with that code behind
// no locals, and with a memory. The code needs no end.
func function(code string) string {
	body := "\x00" + code + "\x0b"
	return head + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(5, "\x01\x00\x01") +
		section(10, "\x01", u32(len(body)), body)
}
