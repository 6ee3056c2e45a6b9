package main

import (
	"encoding/binary"
	"math/bits"
)

// scan counts the words of text, eight bytes at a time: most words and the
// gap before them are found by a few operations on one number.
func scan(text []byte) {
	for p := 0; p < len(text); {
		x := load(text, p)
		m := letters(x)
		if m == 0 {
			p += 8
			continue
		}
		gap := bits.TrailingZeros64(m) &^ 7
		n := bits.TrailingZeros64(^(m>>gap)&high) &^ 7 // in bits, like gap
		if gap+n < 64 {
			words.short((x | low) >> gap & (1<<(n&63) - 1))
			p += (gap + n) >> 3
			continue
		}
		if gap > 0 {
			p += gap >> 3 // the word may go on behind the eight bytes
			continue
		}
		end := p + 8
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if end == p+8 {
			words.short(x | low)
		} else {
			words.longer(text[p:end])
		}
		p = end
	}
}

// Bytes repeated eight times.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
	low  = 0x20 * ones // the bit that makes a letter lower case
)

// letters returns the high bit of each byte of x that is an ASCII letter.
func letters(x uint64) uint64 {
	y := (x | low) &^ high
	fromA := y + (0x80-'a')*ones
	aboveZ := y + (0x80-'z'-1)*ones
	return fromA &^ aboveZ &^ x & high
}

// load returns the eight bytes of text at p, the first one lowest; behind the
// end of text there are zeros.
func load(text []byte, p int) uint64 {
	if p+8 <= len(text) {
		return binary.LittleEndian.Uint64(text[p:])
	}
	if len(text) >= 8 {
		return binary.LittleEndian.Uint64(text[len(text)-8:]) >> (8 * (p + 8 - len(text)))
	}
	var x uint64
	for i := len(text) - 1; i >= p; i-- {
		x = x<<8 | uint64(text[i])
	}
	return x
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }
