package pebblestore

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Format is the version of Pebble's files that Open creates and to which it
// raises older ones: the newest stable one of the Pebble that is linked. It is
// written here, not taken from Pebble, so that an update of Pebble does not
// change files that an older wasmill could still read.
const Format = pebble.FormatValueSeparation

// Options tune a store. The zero value is ready to use.
type Options struct {
	// FS is the file system; nil is the operating system's.
	FS vfs.FS

	// Cache is shared with other stores; nil makes one for this store alone.
	Cache *Cache

	// CacheBytes is the size of a cache of its own. Default: 32 MiB.
	CacheBytes int64

	// MemtableBytes bounds a memtable, of which there are at most four. They
	// start at 256 KiB and double while there is need. Default: 32 MiB.
	MemtableBytes int

	// ReadOnly opens the store without changing it: a Commit returns an error.
	ReadOnly bool
}

const (
	defaultCacheBytes    = 32 << 20
	defaultMemtableBytes = 32 << 20
)

// Cache is blocks and open files that stores share. It must be closed after
// the stores that use it.
type Cache struct {
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// NewCache returns a cache of that many bytes of blocks and files open files.
func NewCache(bytes int64, files int) *Cache {
	blocks := pebble.NewCache(bytes)
	return &Cache{blocks: blocks, files: pebble.NewFileCache(4, files)}
}

// Close frees the cache.
func (c *Cache) Close() {
	c.files.Unref()
	c.blocks.Unref()
}

func (o Options) pebble(fs vfs.FS, lock *pebble.Lock) *pebble.Options {
	p := &pebble.Options{
		FS:                 fs,
		Lock:               lock,
		FormatMajorVersion: Format,
		Logger:             logger{},
		ReadOnly:           o.ReadOnly,
		MemTableSize:       uint64(o.MemtableBytes),
		CacheSize:          o.CacheBytes,
	}
	if p.CacheSize == 0 {
		p.CacheSize = defaultCacheBytes
	}
	if p.MemTableSize == 0 {
		p.MemTableSize = defaultMemtableBytes
	}
	if o.Cache != nil {
		p.Cache, p.FileCache = o.Cache.blocks, o.Cache.files
	}
	for i := range p.Levels {
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return p
}

// logger is silent. What Pebble calls fatal follows an error of the disk, which
// the fence has seen already: Pebble may go on, nothing reaches the disk.
type logger struct{}

func (logger) Infof(string, ...any)  {}
func (logger) Errorf(string, ...any) {}
func (logger) Fatalf(string, ...any) {}
