package pebblestore

import (
	"cmp"

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

	// CacheBytes bounds the blocks in a cache of its own. What its memtables do
	// not use of their bound is used for blocks too. Default: 32 MiB.
	CacheBytes int64

	// MemtableBytes bounds a memtable, of which there are at most two, for a
	// moment three. They start at 256 KiB and double while there is need.
	// Default: 16 MiB.
	MemtableBytes int

	// ReadOnly opens the store without changing it: a Commit returns an error.
	ReadOnly bool
}

const (
	defaultCacheBytes    = 32 << 20
	defaultMemtableBytes = 16 << 20

	// memtables is how many memtables there are at most: Pebble takes their
	// memory from the cache, which has room for them for this reason.
	memtables = 3
)

// Cache is memory and open files that stores share. It must be closed after the
// stores that use it.
type Cache struct {
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// NewCache returns a cache of that many bytes and open files. The bytes are for
// blocks and for the memtables of all its stores, which come first.
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
		MemTableSize:       uint64(cmp.Or(o.MemtableBytes, defaultMemtableBytes)),
	}
	p.CacheSize = cmp.Or(o.CacheBytes, defaultCacheBytes) + memtables*int64(p.MemTableSize)
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
