package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/epoch"
)

const (
	drawEvery  = 200 * time.Millisecond // on a terminal
	firstPlain = time.Second            // elsewhere: the first line
	plainEvery = 10 * time.Second       // and the others
	barLeast   = 8                      // columns of the bar
	barMost    = 24
)

// showProgress shows what job is doing until the function that it returns is
// called, which leaves the terminal clean.
func showProgress(scr *screen, job job) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		p := progress{job: job, width: scr.width, at: job.Status().Elapsed, colour: scr.term && os.Getenv("NO_COLOR") == ""}
		first, every := firstPlain, plainEvery
		if scr.term {
			first, every = drawEvery, drawEvery
		}
		t := time.NewTimer(first)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				lines := p.lines(job.Status())
				if scr.term {
					scr.progress(lines...)
				} else {
					scr.say("%s", strings.Join(lines, ", "))
				}
				t.Reset(every)
			case <-done:
				scr.progress()
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// progress makes the lines that tell how far a job is.
type progress struct {
	job    job
	width  func() int // of a line in columns
	colour bool

	at      time.Duration // of the last look
	records int64         // read until then
	rate    float64       // records a second, smoothed
}

// lines returns two lines: how much is read, and how it goes on.
func (p *progress) lines(s host.Status) []string {
	p.measure(s)
	return []string{
		p.job.Spec().Job + "  " + p.share(s),
		fmt.Sprintf("%s records, %s/s, epoch %d, %s unsealed, %s",
			count(s.Records), count(int64(p.rate)), s.Epoch, size(s.Unsealed), seconds(s.Elapsed)),
	}
}

// measure takes the rate since the last look into the smoothed one, with a
// time constant of five seconds.
func (p *progress) measure(s host.Status) {
	dt := (s.Elapsed - p.at).Seconds()
	if dt <= 0 {
		return
	}
	now := float64(s.Records-p.records) / dt
	if p.records == 0 {
		p.rate = now
	} else {
		p.rate += (now - p.rate) * (1 - math.Exp(-dt/5))
	}
	p.at, p.records = s.Elapsed, s.Records
}

// share tells how much of what was found is read. A run that goes on does
// not know what earlier runs have found, so there it tells no share.
func (p *progress) share(s host.Status) string {
	var found, files int64
	all := len(s.Found) > 0
	for _, f := range s.Found {
		found += f.Bytes
		files += f.Files
		all = all && f.Done
	}
	if p.job.Decision() == epoch.Resume || found == 0 || s.Bytes > found {
		return size(s.Bytes) + " read"
	}
	of := fmt.Sprintf("%s of %s in %s", size(s.Bytes), size(found), plural(files, "file", "files"))
	if !all {
		return of + " found so far"
	}
	part := float64(s.Bytes) / float64(found)
	text := fmt.Sprintf("%3d %%  %s", int(100*part), of)
	return p.bar(part, p.width()-1-len(p.job.Spec().Job)-len("  [] ")-len(text)) + text
}

// bar draws a share of 1 in at most room columns and a space behind it, and
// nothing where it would be too short to be read.
func (p *progress) bar(part float64, room int) string {
	if room < barLeast {
		return ""
	}
	room = min(room, barMost)
	n := int(part * float64(room))
	full, rest := strings.Repeat("#", n), strings.Repeat("-", room-n)
	if p.colour {
		full = "\x1b[32m" + full + "\x1b[0m"
	}
	return "[" + full + rest + "] "
}
