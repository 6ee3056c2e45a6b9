package main

import (
	"encoding/json"
	"math"
)

const (
	offset uint32 = 0x811c9dc5
	prime  uint32 = 0x01000193
)

// template is a record of 120 bytes; number writes the digits of its id.
const template = `{"id":1000000,"user":"user-0042","ts":1700000000123,"amount":12.34,` +
	`"currency":"EUR","tags":["a","b","c"],"note":"plain"}`

func number(rec []byte, i uint32) {
	id := 1_000_000 + i%9_000_000
	for at := 12; at >= 6; at-- {
		rec[at] = byte('0' + id%10)
		id /= 10
	}
}

type input struct {
	ID     uint64   `json:"id"`
	User   string   `json:"user"`
	TS     uint64   `json:"ts"`
	Amount float64  `json:"amount"`
	Tags   []string `json:"tags"`
}

type result struct {
	ID   uint64 `json:"id"`
	By   string `json:"by"`
	Ct   int64  `json:"ct"`
	Tags int    `json:"tags"`
	At   uint64 `json:"at"`
}

// transform appends what is kept of a record to out.
func transform(out, rec []byte) ([]byte, error) {
	var in input
	if err := json.Unmarshal(rec, &in); err != nil {
		return nil, err
	}
	text, err := json.Marshal(result{in.ID, in.User, int64(math.Floor(in.Amount*100 + 0.5)), len(in.Tags), in.TS / 1000})
	return append(out, text...), err
}

// fnv is FNV-1a of 32 bits, by Fowler, Noll and Vo.
func fnv(sum uint32, data []byte) uint32 {
	for _, b := range data {
		sum = (sum ^ uint32(b)) * prime
	}
	return sum
}

func fnvWord(sum, word uint32) uint32 { return (sum ^ word) * prime }

// sorted sorts 64 numbers by insertion and 256 by Shell's method, and returns
// a checksum of the order.
func sorted(seed uint32) uint32 {
	var few [64]uint32
	var many [256]uint32
	x := seed
	fill := func(a []uint32) {
		for i := range a {
			x = x*1_664_525 + 1_013_904_223
			a[i] = x
		}
	}
	fill(few[:])
	fill(many[:])
	gapped(few[:], 1)
	for _, gap := range []int{121, 40, 13, 4, 1} {
		gapped(many[:], gap)
	}
	sum := offset
	for _, v := range few {
		sum = fnvWord(sum, v)
	}
	for _, v := range many {
		sum = fnvWord(sum, v)
	}
	return sum
}

func gapped(a []uint32, gap int) {
	for i := gap; i < len(a); i++ {
		v, j := a[i], i
		for ; j >= gap && a[j-gap] > v; j -= gap {
			a[j] = a[j-gap]
		}
		a[j] = v
	}
}
