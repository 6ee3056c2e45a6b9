package image_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

func TestSave_ReplacesTheFileAsAWhole(t *testing.T) {
	path := saved(t, pattern(wide), state, "k")
	old := open(t, path, "k")
	if err := take(t, make([]byte, 2*wide), image.State{}).Save(path, "k"); err != nil {
		t.Fatal(err)
	}
	if img := open(t, path, "k"); img.Size() != 2*wide {
		t.Fatalf("size %d", img.Size())
	}
	if _, b := memory(t, image.Options{Image: old}, wide); !bytes.Equal(b, pattern(wide)) {
		t.Fatal("an image that was open has changed")
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, error %v", files, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Fatalf("mode %v, error %v", info.Mode(), err)
	}
}

func TestSave_WhereNothingCanBeKept(t *testing.T) {
	img := take(t, pattern(wide), state)
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/image", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := img.Save(dir+"/image", "k"); err == nil {
		t.Fatal("a directory was replaced")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Fatalf("files %v, error %v: what could not be kept is there", files, err)
	}
}

// Pages of zeroes take no room.
func TestSave_LeavesHoles(t *testing.T) {
	b := make([]byte, 16<<20)
	b[len(b)-1] = 1
	path := saved(t, b, state, "k")
	if used := allocated(t, path); used > 1<<20 {
		t.Errorf("%d bytes on disk for one page", used)
	}
	if _, got := memory(t, image.Options{Limit: 32 << 20, Image: open(t, path, "k")}, uint64(len(b))); !bytes.Equal(got, b) {
		t.Error("the image has changed")
	}
}

func TestSave_OfAnImageFromDisk(t *testing.T) {
	path := saved(t, pattern(2*wide), state, "k")
	if err := open(t, path, "k").Save(path+"2", "k2"); err != nil {
		t.Fatal(err)
	}
	if _, b := memory(t, image.Options{Image: open(t, path+"2", "k2")}, 2*wide); !bytes.Equal(b, pattern(2*wide)) {
		t.Fatal("the image has changed")
	}
}

// expectDamaged opens the file that b is and wants it refused.
func expectDamaged(t *testing.T, path string, b []byte, what string) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	img, err := image.Open(path, "k")
	if err == nil {
		_ = img.Close() // the test has failed
	}
	if !errors.Is(err, image.ErrDamaged) || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Fatalf("error %v, want %q", err, what)
	}
}

// headerSize is that of FORMAT.md.
const headerSize = 128

func TestOpen_EveryByteOfHeaderAndStateCounts(t *testing.T) {
	path := saved(t, pattern(wide), state, "k")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	meta := int(binary.LittleEndian.Uint32(good[12:]))
	if !json.Valid(good[headerSize : headerSize+meta]) {
		t.Fatal("the state is not where FORMAT.md has it")
	}
	for at := range headerSize + meta {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(good)
			bad[at] ^= bit
			expectDamaged(t, path, bad, "damaged")
		}
	}
}

func TestOpen_EveryPageOfMemoryCounts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	path := saved(t, pattern(4*wide), state, "k")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := len(good) - 4*wide
	if begin%wide != 0 || !bytes.Equal(good[begin:], pattern(4*wide)) {
		t.Fatal("the memory is not where FORMAT.md has it")
	}
	for p := range 4 * wide / page { // zeroes or not
		bad := bytes.Clone(good)
		bad[begin+p*page+r.IntN(page)] ^= 1 << r.IntN(8)
		expectDamaged(t, path, bad, "its memory")
	}
	// Pages that changed places: with another, and with one of zeroes.
	for _, other := range []int{1, 3} {
		bad := bytes.Clone(good)
		copy(bad[begin+2*page:], good[begin+other*page:begin+(other+1)*page])
		copy(bad[begin+other*page:], good[begin+2*page:begin+3*page])
		expectDamaged(t, path, bad, "its memory")
	}
}

func TestOpen_RefusesWhatIsNoImageOfThis(t *testing.T) {
	path := saved(t, pattern(wide), state, "k")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	version := bytes.Clone(good)
	version[8]++
	for _, test := range []struct {
		name, what string
		b          []byte
	}{
		{"nothing", "it is too short", nil},
		{"half a header", "it is too short", good[:headerSize-1]},
		{"something else", "it does not begin as an image", bytes.Repeat([]byte("x"), 1000)},
		{"another version", "its version is 3, not 2", version},
		{"no state", "its length", good[:headerSize]},
		{"cut short", "its length", good[:len(good)-1]},
		{"a byte more", "its length", append(bytes.Clone(good), 0)},
		{"no memory", "its length", good[:len(good)-wide]},
	} {
		t.Run(test.name, func(t *testing.T) { expectDamaged(t, path, test.b, test.what) })
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := image.Open(path, "other"); !errors.Is(err, image.ErrDamaged) || !strings.Contains(err.Error(), "it is of something else") {
		t.Errorf("another key: %v", err)
	}
	if _, err := image.Open(path+"2", "k"); !errors.Is(err, os.ErrNotExist) || errors.Is(err, image.ErrDamaged) {
		t.Errorf("no file: %v", err)
	}
}

// Two processes begin with one file and write over all of it.
func TestOpen_ByTwoProcesses(t *testing.T) {
	const at = "WASMILL_IMAGE_TEST"
	if path := os.Getenv(at); path != "" {
		_, b := memory(t, image.Options{Image: open(t, path, "k")}, 4*wide)
		if !bytes.Equal(b, pattern(4*wide)) {
			t.Fatal("not the image")
		}
		for i := range b {
			b[i] = 9
		}
		return
	}
	path := saved(t, pattern(4*wide), state, "k")
	_, b := memory(t, image.Options{Image: open(t, path, "k")}, 4*wide)
	for i := range 2 * wide {
		b[i] = 8
	}
	for range 2 {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), at+"="+path)
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if !bytes.Equal(b[2*wide:], pattern(4 * wide)[2*wide:]) {
		t.Fatal("what another process wrote is seen here")
	}
	open(t, path, "k")
}
