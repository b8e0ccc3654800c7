package beamsort

import (
	"fmt"
	"math"
)

// Option changes how a sort works.
type Option func(*config)

// config holds the options of a sort. Beam sends it to workers as JSON.
type config struct {
	Order    string
	Prefix   string
	Suffix   string
	Format   string
	Header   string
	Direct   bool
	Manifest bool
	Shards   int64
	Memory   int64
	TempDirs []string
	Workers  int

	ShardBytes int64
	PackBytes  int64
	BlockBytes int64
	GapBytes   int64 // of a run, from one sample to the next
}

// Sizes by default.
const (
	shardBytes = 256 << 20
	packBytes  = 16 << 20
	// blockBytes is small enough for the element limits of runners and the 4 MiB messages of the
	// SDK, and large enough that the 10 to 20 µs that a runner takes for an element do not count.
	blockBytes = 1 << 20
	// samplesPerShard sets the spread of shard sizes: with gap G a shard of r runs is off by about
	// 0.4·√r·G, which is 7 % for 32 000 runs.
	samplesPerShard = 1024
	leastGap        = 4 << 10
	unknownGap      = 16 << 10 // where only the number of shards is given
	leastMemory     = 64 << 20
)

func newConfig(order string, opts []Option) config {
	c := config{Order: order, ShardBytes: shardBytes, PackBytes: packBytes, BlockBytes: blockBytes}
	for _, o := range opts {
		if o == nil {
			panic("beamsort: nil option")
		}
		o(&c)
	}
	if c.Memory == 0 {
		c.Memory = leastMemory + 3*min(c.ShardBytes, (math.MaxInt64-leastMemory)/3)
	}
	if c.GapBytes == 0 {
		c.GapBytes = max(leastGap, c.ShardBytes/samplesPerShard)
		if c.Shards > 0 && c.ShardBytes == shardBytes {
			c.GapBytes = unknownGap
		}
	}
	return c
}

func positive(call string, n int64) {
	if n <= 0 {
		panic(fmt.Sprintf("beamsort: %s(%d) is not positive", call, n))
	}
}

// To names the shards: prefix-00000-of-00042 and so on. They lie in a folder or in any file system of
// Beam that the program imports, such as gs:// and s3://. The local one is always there. Files
// of an earlier sort to the same prefix stay if they have another number of shards. It panics if
// prefix is empty.
func To(prefix string) Option {
	if prefix == "" {
		panic(`beamsort: To("")`)
	}
	return func(c *config) { c.Prefix = prefix }
}

// Suffix ends the name of each shard, such as ".csv".
func Suffix(s string) Option { return func(c *config) { c.Suffix = s } }

// ShardBytes is the size of a shard that the sort aims at, in bytes of encoded elements.
// Default: 256 MiB. The number of shards follows from the size of the input, which is known from
// the samples. It panics if n is not positive.
func ShardBytes(n int64) Option {
	positive("ShardBytes", n)
	return func(c *config) { c.ShardBytes = n }
}

// Shards fixes the number of shards. For inputs of more than 100 GB give ShardBytes as well: it
// sets how many samples are taken, one of 16 KiB without it. It panics if n is not positive.
func Shards(n int) Option {
	positive("Shards", int64(n))
	return func(c *config) { c.Shards = int64(n) }
}

// As chooses the format of shards. Default: [Records] with the [Fixed] codec, otherwise
// [LengthPrefixed].
func As(f Format) Option { return func(c *config) { c.Format = f.name } }

// Header is a line that each shard begins with, for [Lines].
func Header(line string) Option { return func(c *config) { c.Header = line } }

// Manifest writes prefix-manifest.json after all shards: their names in order, and the totals of
// all elements. If these differ from those of the input, the pipeline fails and there is no
// manifest. [ReadManifest] reads it.
func Manifest() Option { return func(c *config) { c.Manifest = true } }

// Direct writes shards under their own names, without a temporary name and a rename. It is for
// object stores, where an object is there when it is complete and a rename is a copy.
func Direct() Option { return func(c *config) { c.Direct = true } }

// Memory bounds the memory of the sort of one part, see [extsort.MemoryLimit]. A worker sorts
// as many parts at a time as its runner gives it bundles. What does not fit goes to disk. Default:
// 64 MiB and three times ShardBytes, so that shards of the usual size stay in memory. It panics
// if n is not positive.
func Memory(n int64) Option {
	positive("Memory", n)
	return func(c *config) { c.Memory = n }
}

// TempDir names the folders of a worker for parts that do not fit in memory, see
// [extsort.TempDir]. It panics if there is none.
func TempDir(dirs ...string) Option {
	if len(dirs) == 0 {
		panic("beamsort: TempDir without a folder")
	}
	return func(c *config) { c.TempDirs = dirs }
}

// Workers bounds the goroutines that sort a part, see [extsort.Workers]. Default, and with 0: GOMAXPROCS.
// It panics if n is negative.
func Workers(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("beamsort: Workers(%d): need at least 0", n))
	}
	return func(c *config) { c.Workers = n }
}

// PackBytes is the size of the runs that a bundle sorts before they go into the shuffle. Larger
// runs are cut into larger pieces: with P shards a piece has 1 MiB·runs/P or less. Each bundle
// takes about three times as much memory. Default: 16 MiB. It panics if n is not positive.
func PackBytes(n int64) Option {
	positive("PackBytes", n)
	return func(c *config) { c.PackBytes = n }
}
