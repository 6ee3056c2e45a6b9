package guest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/image"
	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// An image is an instance right behind wasmill_init, or a program that has
// parked: its memory, its globals, the state of its WASI and the metrics that
// it has defined. Everything that went into it is in its key, so a later
// instance that would begin with the same can go on from it.

// imagesVersion is that of what this file puts into an image and its key.
const imagesVersion = 2

// imageKey names what an instance begins with.
func (s *starter) imageKey() string {
	h := sha256.New()
	o := meterOptions(fast)
	fmt.Fprintf(h, "%d %d %d %d %d.%d %s ", imagesVersion, image.Version, meter.Version, o.Stack, abi.Version, abi.Minor, s.module.digest)
	if !s.module.program { // one parks before it has seen the payload
		h.Write(s.payload)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// definition is a metric that a guest has defined.
type definition struct {
	Kind MetricKind `json:"kind"`
	Name string     `json:"name"`
}

// define notes what init has defined under a handle. An image can give handles
// again that count from 0 on. They do if the host began with this instance.
func (in *instance) define(handle int, d definition) {
	switch {
	case handle == len(in.metrics):
		in.metrics = append(in.metrics, d)
	case handle > len(in.metrics) || in.metrics[handle] != d:
		in.local = true
	}
}

// Sections of an image beside its memory and globals.
const (
	sectionWASI    = "wasi"
	sectionMetrics = "metrics"
	sectionParked  = "parked"
)

// errImage says that an image does not fit or is damaged.
var errImage = errors.New("guest: the image cannot be used")

// largestImage is the most memory, in bytes, of which an image is taken. Whoever
// has more starts afresh each time: nobody is charged for images, and a copy of
// so much takes a tenth of a second.
const largestImage = 256 << 20

// image takes an image of an instance behind init, nil if there is more to it
// than an image holds. done lets go of it.
func (in *instance) image() (img *image.Image, done func()) {
	done = func() {}
	if !in.form.Whole || in.local || in.MemoryBytes() > largestImage {
		return nil, done
	}
	if in.program != nil && in.program.parked == nil { // it waits in the middle of its program
		return nil, done
	}
	clock, err := in.wasi.Save()
	if err != nil { // files are open: it starts afresh each time
		return nil, done
	}
	state := image.State{Sections: map[string][]byte{sectionWASI: clock}}
	for _, g := range in.form.Globals {
		state.Globals = append(state.Globals, in.mod.ExportedGlobal(g.Export).Get())
	}
	if len(in.metrics) > 0 {
		if state.Sections[sectionMetrics], err = json.Marshal(in.metrics); err != nil {
			return nil, done
		}
	}
	if in.program != nil {
		state.Sections[sectionParked] = in.program.parked.save()
	}
	memory, _ := in.mem.Read(0, in.mem.Size())
	if img, err = image.Take(memory, state); err != nil {
		in.module.engine.log.Warn("no image could be taken: every instance starts afresh", "module", in.module.digest, "error", err)
		return nil, done
	}
	return img, func() { _ = img.Close() } // mappings and other holders keep it
}

// resume makes an instance from an image. An error that wraps errImage says
// that it is the image's fault.
func (s *starter) resume(ctx context.Context, kind meter.Form, img *image.Image) (*instance, error) {
	in, err := s.make(ctx, kind, img)
	if err != nil {
		return nil, err
	}
	if err := in.restore(img); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errImage, err), in.Close(ctx))
	}
	if err := in.resumed(ctx); err != nil {
		return nil, err
	}
	return in, nil
}

func (in *instance) restore(img *image.Image) error {
	if have := uint64(in.mem.Size()); have < img.Size() {
		if _, ok := in.mem.Grow(uint32((img.Size() - have) / wasm.PageSize)); !ok {
			return fmt.Errorf("its memory of %d bytes: %s", img.Size(), in.linear.Refused())
		}
	}
	state := img.State()
	if len(state.Globals) != len(in.form.Globals) {
		return fmt.Errorf("it has %d globals, the module %d", len(state.Globals), len(in.form.Globals))
	}
	for i, g := range in.form.Globals {
		global, ok := in.mod.ExportedGlobal(g.Export).(api.MutableGlobal)
		if !ok {
			return fmt.Errorf("global %s is missing", g.Export)
		}
		global.Set(state.Globals[i])
	}
	if err := in.wasi.Restore(state.Sections[sectionWASI]); err != nil {
		return err
	}
	if in.program != nil {
		if err := in.program.restore(state.Sections[sectionParked]); err != nil {
			return err
		}
	}
	if b := state.Sections[sectionMetrics]; len(b) > 0 {
		if err := json.Unmarshal(b, &in.metrics); err != nil {
			return err
		}
	}
	for i, d := range in.metrics {
		if handle, e := in.calls.MetricDefine(d.Kind, []byte(d.Name)); e != abi.OK || handle != uint32(i) {
			return fmt.Errorf("metric %s, number %d of the image, is number %d here (%s)", d.Name, i, handle, e)
		}
	}
	return nil
}

// images are those that an engine has at hand, and those on disk.
type images struct {
	dir string // "" = none on disk
	log *slog.Logger

	mu     sync.Mutex
	have   map[string]*image.Image
	bytes  uint64 // of their memories
	saving sync.WaitGroup
}

// What an engine holds open at most.
const (
	keptImages = 64
	keptBytes  = 1 << 30 // of memories, pages of zeroes included, which take none
)

// storedBytes is what the images on disk take at most, pages of zeroes
// included: a module may have another one for each task and each config.
const storedBytes = 4 << 30

// worthKeeping is the CPU time of a start-up from which on its image is kept
// on disk: below, starting afresh is as quick as reading it.
const worthKeeping = 4 * time.Millisecond

// keepIn keeps images on disk, below the directory of compiled modules.
func (s *images) keepIn(modules string) error {
	s.dir = filepath.Join(modules, "images")
	return os.MkdirAll(s.dir, 0o700)
}

// get returns an image, which is open until release is called.
func (s *images) get(key string) (img *image.Image, release func()) {
	s.mu.Lock()
	img = s.have[key]
	if img != nil {
		img = img.Share()
	}
	s.mu.Unlock()
	if img == nil && s.dir != "" {
		img = s.open(key)
	}
	if img == nil {
		return nil, func() {}
	}
	return img, func() { _ = img.Close() }
}

func (s *images) path(key string) string { return filepath.Join(s.dir, key+".image") }

// open reads an image from disk. One that is damaged is removed.
func (s *images) open(key string) *image.Image {
	img, err := image.Open(s.path(key), key)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		s.log.Warn("an image is made again", "file", s.path(key), "error", err)
		_ = os.Remove(s.path(key)) // what cannot be removed is replaced
		return nil
	}
	cachedir.Touch(s.path(key))
	s.keep(key, img)
	return img
}

func (s *images) keep(key string, img *image.Image) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.have == nil {
		s.have = map[string]*image.Image{}
	}
	s.forget(key)
	for k := range s.have { // any one
		if len(s.have) < keptImages && s.bytes+img.Size() <= keptBytes {
			break
		}
		s.forget(k)
	}
	s.have[key] = img.Share()
	s.bytes += img.Size()
}

// forget lets go of an image, if it is there. mu is held.
func (s *images) forget(key string) {
	if img := s.have[key]; img != nil {
		s.bytes -= img.Size()
		_ = img.Close()
		delete(s.have, key)
	}
}

// put keeps an image, on disk too if start-up, which took so long, is worth it.
func (s *images) put(key string, img *image.Image, took time.Duration) {
	s.keep(key, img)
	if s.dir == "" || took < worthKeeping {
		return
	}
	mine := img.Share()
	s.saving.Go(func() {
		defer func() { _ = mine.Close() }()
		if err := mine.Save(s.path(key), key); err != nil {
			s.log.Warn("an image is not kept", "file", s.path(key), "error", err)
			return
		}
		cachedir.Trim(s.dir, storedBytes)
	})
}

// drop forgets an image that does not do.
func (s *images) drop(key string, err error) {
	s.log.Warn("an image is made again", "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key)
	if s.dir != "" {
		_ = os.Remove(s.path(key)) // what cannot be removed is replaced
	}
}

func (s *images) close() error {
	s.saving.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, img := range s.have {
		errs = append(errs, img.Close())
	}
	s.have = nil
	return errors.Join(errs...)
}
