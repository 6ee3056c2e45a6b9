package record_test

import (
	"testing"

	"github.com/wasmill/wasmill/abi/record"
)

// The vectors are those of Kafka's own test of its default partitioner.
func TestMurmur2_Vectors(t *testing.T) {
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := int32(record.Murmur2([]byte(key))); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
		if a, b := record.Murmur2String(key), record.Murmur2([]byte(key)); a != b {
			t.Errorf("murmur2(%q): string %d, bytes %d", key, a, b)
		}
	}
}

func TestPartitionOf_IsNeverNegative(t *testing.T) {
	// murmur2("21") is negative as a signed number: the sign bit is masked off.
	if got, want := record.PartitionOf(record.Murmur2([]byte("21")), 7), int(uint32(0xc5f2f8ec)&0x7fffffff)%7; got != want || got < 0 {
		t.Errorf("partition is %d, want %d", got, want)
	}
}
