package corpus

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// Workload is what a guest is to compute; testdata/README.md defines each.
type Workload string

// The workloads.
const (
	JSON Workload = "json" // parse 120 bytes, write 66
	Hash Workload = "hash" // FNV-1a, byte by byte
	Sort Workload = "sort" // 64 numbers by insertion, 256 by Shell's method
)

// Workloads are all of them.
var Workloads = []Workload{JSON, Hash, Sort}

// Record returns the i-th record of the workload JSON, 120 bytes.
func Record(i int) []byte {
	return fmt.Appendf(nil, `{"id":%d,"user":"user-0042","ts":1700000000123,"amount":12.34,"currency":"EUR","tags":["a","b","c"],"note":"plain"}`, 1_000_000+i%9_000_000)
}

// Want returns the checksum that n rounds of a workload have, computed here in Go.
func Want(w Workload, n int) uint32 {
	sum := fnv.New32a()
	total := uint32(offset)
	for i := range n {
		switch w {
		case JSON:
			out, _ := transform(Record(i)) // which is one
			sum.Write(out)
			total = sum.Sum32()
		case Hash:
			var buffer [100]byte
			for j := range buffer {
				buffer[j] = byte(j*7 + 3)
			}
			sum.Write(buffer[:])
			total = sum.Sum32()
		case Sort:
			total = word(total, sorted(uint32(i)))
		}
	}
	return total
}

// Result returns the value that a step emits for a record with the given
// value, false if it rejects the record.
func Result(w Workload, value []byte) (result []byte, ok bool) {
	sum := fnv.New32a()
	switch w {
	case JSON:
		out, err := transform(value)
		return out, err == nil
	case Hash:
		for range 8 {
			sum.Write(value)
		}
		return fmt.Appendf(nil, "%08x", sum.Sum32()), true
	default:
		sum.Write(value)
		return fmt.Appendf(nil, "%08x", sorted(sum.Sum32())), true
	}
}

const offset = 0x811c9dc5

func word(sum, word uint32) uint32 { return (sum ^ word) * 0x01000193 }

func transform(rec []byte) ([]byte, error) {
	var in struct {
		ID     uint64
		User   string
		TS     uint64
		Amount float64
		Tags   []string
	}
	if err := json.Unmarshal(rec, &in); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"id":%d,"by":%q,"ct":%d,"tags":%d,"at":%d}`,
		in.ID, in.User, int64(math.Floor(in.Amount*100+0.5)), len(in.Tags), in.TS/1000), nil
}

// sorted returns the checksum of what the guests sort, by another method.
func sorted(seed uint32) uint32 {
	x, sum := seed, uint32(offset)
	for _, n := range []int{64, 256} {
		numbers := make([]uint32, n)
		for i := range numbers {
			x = x*1_664_525 + 1_013_904_223
			numbers[i] = x
		}
		slices.Sort(numbers)
		for _, v := range numbers {
			sum = word(sum, v)
		}
	}
	return sum
}
