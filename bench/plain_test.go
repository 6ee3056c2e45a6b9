//go:build unix

package bench_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// plainWordCount is what word-count is measured against: the same result by
// an ordinary parallel Go program. It walks the tree, counts in one map a
// worker, merges these at the end and writes a line of JSON a word.
func plainWordCount(ctx context.Context, root, out string) (words int, err error) {
	paths := make(chan string, 256)
	workers := make([]counter, runtime.GOMAXPROCS(0))
	errs := make([]error, len(workers))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i := range workers {
		workers[i].counts = map[string]*int64{}
		wg.Go(func() {
			for path := range paths {
				if err := workers[i].file(path); err != nil {
					errs[i] = err
					cancel()
					return
				}
			}
		})
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		select {
		case paths <- path:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(paths)
	wg.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return 0, err
	}
	total := workers[0].counts
	for _, w := range workers[1:] {
		for word, n := range w.counts {
			if t := total[word]; t != nil {
				*t += *n
			} else {
				total[word] = n
			}
		}
	}
	return len(total), writeCounts(out, total)
}

// counter counts the words of files: maximal runs of ASCII letters, in lower case.
type counter struct {
	counts map[string]*int64
	word   []byte
}

func (c *counter) file(path string) error {
	text, err := os.ReadFile(path)
	for _, b := range text {
		if l := b | 0x20; 'a' <= l && l <= 'z' {
			c.word = append(c.word, l)
		} else if len(c.word) > 0 {
			c.end()
		}
	}
	if len(c.word) > 0 {
		c.end()
	}
	return err
}

func (c *counter) end() {
	if n := c.counts[string(c.word)]; n != nil {
		*n++
	} else {
		one := int64(1)
		c.counts[string(c.word)] = &one
	}
	c.word = c.word[:0]
}

func writeCounts(path string, counts map[string]*int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	for word, n := range counts {
		fmt.Fprintf(w, "{\"word\":%q,\"count\":%d}\n", word, *n)
	}
	return errors.Join(w.Flush(), f.Close())
}
