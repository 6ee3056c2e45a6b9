// Tokenize counts the words of each batch: it emits one record for each
// distinct word, with the word as key and the count in decimal as value. A
// word is a maximal run of ASCII letters, in lower case.
package main

import (
	"strconv"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func init() { wasmill.StepBatch(tokenize) }

func main() {}

// words and digits are kept between batches for their memory alone.
var (
	words  = newTable(1 << 12)
	digits []byte
)

func tokenize(cx *wasmill.Context, b *wasmill.Batch) error {
	words.reset()
	for r := range b.All() {
		scan(r.Value)
	}
	for word, count := range words.all() {
		digits = strconv.AppendUint(digits[:0], count, 10)
		if err := cx.Emit(&wasmill.Record{Key: word, Value: digits}); err != nil {
			return err
		}
	}
	return nil
}

// lower maps a letter to its lower case and every other byte to 0.
var lower = func() (t [256]byte) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = byte(c), byte(c)
	}
	return t
}()

// scan counts the words of text. The last eight letters are packed into a
// number as they come, which for a word of up to eight is its whole identity.
func scan(text []byte) {
	var packed uint64
	n := 0
	for i, c := range text {
		if l := lower[c]; l != 0 {
			packed = packed<<8 | uint64(l)
			n++
			continue
		}
		if n > 0 {
			words.count(packed, text[i-n:i])
			packed, n = 0, 0
		}
	}
	if n > 0 {
		words.count(packed, text[len(text)-n:])
	}
}
