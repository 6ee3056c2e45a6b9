package spectest_test

import (
	"fmt"
	"strconv"
	"strings"
)

// value is a number or reference as the suite writes it. Numbers are decimal
// bit patterns; a missing value stands for any.
type value struct {
	Type  string `json:"type"`
	Lane  string `json:"lane_type"`
	Value any    `json:"value"`
}

var lanes = map[string]int{"i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64, "externref": 64, "funcref": 64}

// pattern is what some bits of a result must be: equal to want under mask.
type pattern struct{ want, mask uint64 }

// patterns returns one for each 64-bit word that the engine's interface has
// for the value.
func (v value) patterns() ([]pattern, error) {
	lane, parts := v.Type, []any{v.Value}
	if v.Type == "v128" {
		lane = v.Lane
		parts, _ = v.Value.([]any)
		if len(parts)*lanes[lane] != 128 {
			return nil, fmt.Errorf("a vector of %d lanes of %q", len(parts), lane)
		}
	}
	bits, ok := lanes[lane]
	if !ok {
		return nil, fmt.Errorf("a value of type %q", v.Type)
	}
	words := make([]pattern, (len(parts)*bits+63)/64)
	for i, part := range parts {
		p, err := parse(lane, part, bits)
		if err != nil {
			return nil, err
		}
		at := i * bits
		words[at/64].want |= p.want << (at % 64)
		words[at/64].mask |= p.mask << (at % 64)
	}
	return words, nil
}

func parse(lane string, part any, bits int) (pattern, error) {
	full := ^uint64(0) >> (64 - bits)
	s, ok := part.(string)
	switch {
	case part == nil:
		return pattern{}, nil
	case !ok:
		return pattern{}, fmt.Errorf("a value %v", part)
	case s == "null":
		return pattern{0, full}, nil
	case strings.HasPrefix(s, "nan:"):
		quiet, sign := uint64(0x7fc00000), uint64(1)<<31
		if bits == 64 {
			quiet, sign = 0x7ff8<<48, 1<<63
		}
		switch s {
		case "nan:canonical":
			return pattern{quiet, full &^ sign}, nil
		case "nan:arithmetic":
			return pattern{quiet, quiet}, nil
		}
		return pattern{}, fmt.Errorf("a value %q", s)
	case strings.HasPrefix(s, "-"):
		n, err := strconv.ParseInt(s, 10, bits)
		return pattern{uint64(n) & full, full}, err
	}
	n, err := strconv.ParseUint(s, 10, bits)
	if lane == "externref" {
		n++ // wazero's null is 0
	}
	return pattern{n, full}, err
}

// words returns the arguments of a call.
func words(args []value) ([]uint64, error) {
	var all []uint64
	for _, a := range args {
		p, err := a.patterns()
		if err != nil {
			return nil, err
		}
		for _, w := range p {
			all = append(all, w.want)
		}
	}
	return all, nil
}

// matches says how results differ from what is expected, nil if they do not.
func matches(results []uint64, want []value) error {
	var all []pattern
	for _, v := range want {
		p, err := v.patterns()
		if err != nil {
			return err
		}
		all = append(all, p...)
	}
	if len(all) != len(results) {
		return fmt.Errorf("%d words of results, want %d", len(results), len(all))
	}
	for i, p := range all {
		if results[i]&p.mask != p.want {
			return fmt.Errorf("results %#x, want %v", results, want)
		}
	}
	return nil
}
