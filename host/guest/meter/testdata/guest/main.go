// Command guest is a Go guest for tests: what it computes goes through the
// runtime's scheduler, collector, maps, reflection and deep recursion.
package main

import (
	"encoding/json"
	"hash/fnv"
	"regexp"
	"sort"
	"strings"
)

type node struct {
	Name  string
	Left  *node
	Right *node
	Score map[string]float64
}

var word = regexp.MustCompile(`(\w+)-(\d+)`)

func tree(n int) *node {
	if n == 0 {
		return nil
	}
	name := strings.Repeat("x", n%5) + "-" + string(rune('0'+n%10))
	return &node{Name: name, Left: tree(n - 1), Right: tree(n / 2), Score: map[string]float64{name: float64(n) / 3, "a": 1}}
}

//go:wasmexport run
func run(n uint32) uint64 {
	b, err := json.Marshal(tree(int(n)))
	if err != nil {
		return 0
	}
	var back node
	if err := json.Unmarshal(b, &back); err != nil {
		return 1
	}
	found := word.FindAllString(string(b), -1)
	sort.Strings(found)
	done := make(chan string)
	go func() { done <- strings.Join(found, ",") }()
	h := fnv.New64a()
	h.Write([]byte(<-done))
	h.Write(b)
	return h.Sum64()
}

func main() {}
