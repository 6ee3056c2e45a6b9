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
