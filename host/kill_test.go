package host_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/state/pebblestore"
)

func init() { children["wordcount"] = wordCountChild }

// diary is a file in which a child notes what it has done, so that whoever
// kills it can read it: the page cache outlives the process.
type diary struct{ f *os.File }

// The notes, each a u64.
const (
	noteRead    = iota // records read in this run
	noteEpoch          // last epoch committed by this run that is in the store, 0 before
	noteLargest        // records read between two commits, at most
	noteDone           // 1 when the run has ended well
	notes
)

func openDiary(path string) (diary, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	return diary{f}, err
}

func (d diary) write(note int, v uint64) {
	if _, err := d.f.WriteAt(binary.LittleEndian.AppendUint64(nil, v), int64(8*note)); err != nil {
		panic(err)
	}
}

// read returns all notes, zeros for those not written.
func (d diary) read() (v [notes]uint64) {
	var b [8 * notes]byte
	d.f.ReadAt(b[:], 0)
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return v
}

// wordCountChild runs a word count: directory, root, tasks, epoch, and the
// point and the number of its coming at which it kills itself, if any. Where
// two numbers follow, it reads so many records and, if the epoch of the second
// one is not committed by then, slowly on until it is: there it waits to be
// killed.
func wordCountChild(args []string) error {
	dir, root, epochLength, point := args[0], args[1], args[3], args[4]
	tasks, _ := strconv.Atoi(args[2])
	times, _ := strconv.Atoi(args[5])
	budget, until := uint64(math.MaxUint64), uint64(0)
	if len(args) > 6 {
		budget, _ = strconv.ParseUint(args[6], 10, 64)
		until, _ = strconv.ParseUint(args[7], 10, 64)
	}
	d, err := openDiary(filepath.Join(dir, "diary"))
	if err != nil {
		return err
	}
	o := wordCount(dir, root, tasks, "epoch="+epochLength)
	var read, atCommit, largest, last atomic.Uint64
	o.Hooks.Read = func(n int) {
		now := read.Add(uint64(n))
		d.write(noteRead, now)
		switch {
		case now < budget:
		case last.Load() >= until:
			select {}
		default:
			time.Sleep(200 * time.Millisecond)
		}
	}
	stored := false // the commit is of an epoch in which something happened
	o.Hooks.Decided = func(number uint64) {
		now := read.Load()
		if n := now - atCommit.Swap(now); n > largest.Load() {
			largest.Store(n)
			d.write(noteLargest, n)
		}
		if stored {
			stored = false
			last.Store(number)
			d.write(noteEpoch, number)
		}
	}
	o.Hooks.At = func(p epoch.Point) error {
		stored = stored || p == epoch.BeforeDecide
		if string(p) == point {
			if times--; times == 0 {
				syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
			}
		}
		return nil
	}
	out, err := runJob(context.Background(), o)
	if err != nil {
		return err
	}
	if !out.Finished {
		return fmt.Errorf("not finished: %+v", out)
	}
	d.write(noteDone, 1)
	return nil
}

// committed returns the records that are read and committed.
func committed(t *testing.T, dir string) (records int64, number uint64) {
	t.Helper()
	s, err := pebblestore.Open(filepath.Join(dir, "state", "store"), pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := epoch.Checkpoint{Store: s}
	for task := range 32 {
		n, err := c.Counts(task)
		if err != nil {
			t.Fatal(err)
		}
		records += n.Records
	}
	if number, err = c.Epoch(); err != nil {
		t.Fatal(err)
	}
	return records, number
}

// TestKill_WordCountComesOutRight kills a word count with SIGKILL at 50
// random moments in a row and starts it again each time.
func TestKill_WordCountComesOutRight(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a long job 50 times")
	}
	const kills, starts, tasks = 50, 8, 2
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	root, dir := goSource(t, ""), t.TempDir()
	longest, lines := longestFile(t, root)
	var read, largest uint64
	grew, before := 0, uint64(0)
	for kill, order := range rng.Perm(kills) {
		// Some are killed while they start, most 1 to 4 epochs later: 103 in all.
		epochs := uint64(0)
		if order >= starts {
			epochs = 1 + uint64(order%4)
		}
		d := freshDiary(t, dir)
		budget := lines / (kills + kills/5)
		c := child(t, "wordcount", dir, root, strconv.Itoa(tasks), "10ms", "", "0", fmt.Sprint(budget), fmt.Sprint(before+epochs))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.Duration(rng.IntN(40)) * time.Millisecond
		if epochs == 0 {
			late += time.Duration(rng.IntN(250)) * time.Millisecond
		} else {
			waitFor(t, func() bool {
				n := d.read()
				return n[noteEpoch] >= before+epochs || n[noteDone] == 1
			})
		}
		time.Sleep(late) // the moment of the kill is what is random here
		c.Process.Kill()
		c.Wait()
		n := d.read()
		if n[noteDone] == 1 {
			t.Fatalf("finished after %d kills: the job is too short for %d", kill, kills)
		}
		read += n[noteRead]
		largest = max(largest, n[noteLargest])
		records, number := committed(t, dir)
		if number > before {
			grew++
		}
		t.Logf("kill %d: read %d, committed %d in epoch %d", kill, n[noteRead], records, number)
		before = number
	}
	d := freshDiary(t, dir)
	if err := child(t, "wordcount", dir, root, strconv.Itoa(tasks), "10ms", "", "0").Run(); err != nil {
		t.Fatal(err)
	}
	n := d.read()
	read += n[noteRead]
	largest = max(largest, n[noteLargest])
	total, number := committed(t, dir)
	compareWords(t, readWords(t, filepath.Join(dir, "out")), wantWords(t, root))
	if number < 100 {
		t.Errorf("%d epochs, want 100 at least", number)
	}
	if grew < kills-starts {
		t.Errorf("the committed epoch grew over %d kills, want %d at least", grew, kills-starts)
	}
	bound := uint64(total) + kills*(largest+tasks*longest)
	t.Logf("%d records, %d read in all runs (bound %d), %d epochs, grew over %d kills", total, read, bound, number, grew)
	if read > bound {
		t.Errorf("read %d records in all runs for %d, the bound is %d: work is done over", read, total, bound)
	}
}

// TestKill_AtEachStepOfTheCommit crashes a word count at each step of a
// commit, at its first coming and at later ones.
func TestKill_AtEachStepOfTheCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many jobs")
	}
	root := goSource(t, "net/http")
	for _, point := range epoch.Points {
		t.Run(string(point), func(t *testing.T) {
			dir := t.TempDir()
			crashed := 0
			for _, times := range []int{1, 2, 3, 4, 2, 1} {
				d := freshDiary(t, dir)
				err := child(t, "wordcount", dir, root, "2", "20ms", string(point), strconv.Itoa(times)).Run()
				if d.read()[noteDone] == 1 {
					break
				}
				if err == nil {
					t.Fatal("the child ended without a word")
				}
				crashed++
			}
			if crashed == 0 {
				t.Fatal("the point never came")
			}
			if err := child(t, "wordcount", dir, root, "2", "20ms", "", "0").Run(); err != nil {
				t.Fatal(err)
			}
			compareWords(t, readWords(t, filepath.Join(dir, "out")), wantWords(t, root))
		})
	}
}

func freshDiary(t *testing.T, dir string) diary {
	t.Helper()
	path := filepath.Join(dir, "diary")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	d, err := openDiary(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.f.Close() })
	return d
}

// longestFile returns the most lines that a file of the tree has, and how many
// all of them have.
func longestFile(t *testing.T, root string) (most, all uint64) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		n := uint64(bytes.Count(text, []byte("\n")))
		most, all = max(most, n), all+n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return most, all
}

// waitFor polls what another process does.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited ten minutes")
		}
	}
}
