// Count keeps the total of each word in the store counts, and emits each word
// once, with its final count, when the input is over. Its input has a word of
// the letters a to z as key and a decimal number to add as value.
package main

import (
	"encoding/binary"
	"errors"
	"strconv"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func init() {
	wasmill.StepBatch(count)
	wasmill.OnEnd(end)
}

func main() {}

var (
	errWord   = errors.New("the key is not a word of the letters a to z")
	errNumber = errors.New("the value is not a number of up to 18 digits")
)

// Kept between batches for their memory alone.
var (
	sums   table
	values [][]byte
	line   []byte
)

func count(cx *wasmill.Context, b *wasmill.Batch) error {
	sums.reset(b.Len())
	for r := range b.All() {
		n, ok := number(r.Value)
		switch {
		case !ok:
			cx.Fail(r, errNumber)
		case !isWord(r.Key):
			cx.Fail(r, errWord)
		default:
			sums.add(r.Key, n)
		}
	}
	store := cx.Store("counts")
	var err error
	if values, err = store.GetMany(sums.keys, values[:0]); err != nil {
		return err
	}
	var total [8]byte
	for i, key := range sums.keys {
		n := sums.sums[i]
		if old := values[i]; old != nil {
			n += binary.LittleEndian.Uint64(old)
		}
		binary.LittleEndian.PutUint64(total[:], n)
		if err := store.Put(key, total[:]); err != nil {
			return err
		}
	}
	return nil
}

// What one call of end emits at most.
const (
	endRecords = 2000
	endBytes   = 256 << 10
)

// end emits the words behind token, the last word of the call before.
func end(cx *wasmill.Context, token []byte) (next []byte, err error) {
	var start []byte
	if token != nil {
		start = append(append(start, token...), 0)
	}
	records, bytes := 0, 0
	for e, err := range cx.Store("counts").Scan(start, nil) {
		if err != nil {
			return nil, err
		}
		line = append(append(line[:0], `{"word":"`...), e.Key...)
		line = strconv.AppendUint(append(line, `","count":`...), binary.LittleEndian.Uint64(e.Value), 10)
		line = append(line, '}')
		if err := cx.Emit(&wasmill.Record{Key: e.Key, Value: line}); err != nil {
			return nil, err
		}
		records, bytes = records+1, bytes+len(line)
		if records == endRecords || bytes >= endBytes {
			return append([]byte{}, e.Key...), nil
		}
	}
	return nil, nil
}

// number reads a decimal number.
func number(b []byte) (n uint64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

func isWord(b []byte) bool {
	for _, c := range b {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(b) > 0
}
