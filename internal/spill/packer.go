package spill

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
)

// packer compresses the blocks of a run, a batch at a time on several goroutines. It is that of a
// store, whose runs are written one after the other.
type packer struct {
	Packing
	pace
	crew []encoder

	plain []byte // blocks that wait for their batch
	ends  []int  // of them, the last of which may not be complete
	out   []byte

	method Method // of the segment
	left   int    // bytes of it to come
}

// segment is the number of bytes after which Adaptive chooses again, while blocks are not
// compressed. A trial takes sampleBytes of it.
const (
	segment     = 4 << 20
	sampleBytes = 32 << 10
)

func newPacker(p Packing) *packer {
	return &packer{Packing: p, crew: make([]encoder, p.crew)}
}

// begin prepares for a run.
func (k *packer) begin() { k.plain, k.ends, k.left = k.plain[:0], k.ends[:0], 0 }

// alone reports whether a block of some bytes is stored as it is, whatever the method.
func (k *packer) alone(bytes int) bool { return bytes > k.block }

// choose chooses the method of the next segment of a run that begins with p, at the beginning of a
// block.
func (k *packer) choose(v *volume, block int, p []byte) {
	k.left = segment
	switch k.mode {
	case AlwaysS2:
		k.method = S2
		return
	case AlwaysZstd:
		k.method = Zstd
		return
	case Never: // there are compressed runs to read
		k.method = Raw
		return
	}
	k.sample(k.trial(k.zstd), block, p)
	k.method = k.best(&v.rate, k.zstd)
}

// sample notes how long it takes to compress the front of p, and what that saves.
func (k *packer) sample(m Method, block int, p []byte) {
	if m == Raw || k.alone(block) {
		return
	}
	p = p[:min(len(p), max(block, sampleBytes/block*block))]
	plain, stored, least := len(p), 0, fastest{}
	for len(p) > 0 {
		n, start := min(block, len(p)), time.Now()
		packed, _ := k.crew[0].block(p[:n], m)
		least.add(n, time.Since(start))
		stored += len(packed)
		p = p[n:]
	}
	k.note(m, plain, stored, least.of(plain)/time.Duration(len(k.crew)))
}

// collect appends bytes to the batch, which has room for them.
func (k *packer) collect(p []byte) {
	if k.plain == nil {
		k.plain = make([]byte, 0, k.batch)
	}
	k.plain = append(k.plain, p...)
}

// packed is a block of a batch.
type packed struct {
	sum    uint64
	bytes  []byte
	method Method
	took   time.Duration
}

// pack compresses the blocks of the batch into out, each at its place, and closes the gaps.
func (k *packer) pack(r *Run) (out []byte, blocks []packed) {
	if k.out == nil {
		k.out = make([]byte, k.batch)
	}
	out = k.out
	blocks = make([]packed, len(k.ends))
	first := len(r.sums)
	var next atomic.Int64
	work := func(c *encoder) {
		var sum xxhash.Digest
		for {
			i := int(next.Add(1)) - 1
			if i >= len(blocks) {
				return
			}
			begin := 0
			if i > 0 {
				begin = k.ends[i-1]
			}
			start := time.Now()
			p, m := c.block(k.plain[begin:k.ends[i]], k.method)
			took := time.Since(start)
			r.begin(&sum, first+i, m)
			sum.Write(p)
			blocks[i] = packed{sum.Sum64(), out[begin : begin+copy(out[begin:], p)], m, took}
		}
	}
	var crew sync.WaitGroup
	for i := range min(len(k.crew), len(blocks)) - 1 {
		crew.Go(func() { work(&k.crew[1+i]) })
	}
	work(&k.crew[0])
	crew.Wait()
	n, begin, least := 0, 0, fastest{}
	for i, b := range blocks {
		n += copy(out[n:], b.bytes) // never to a later place
		least.add(k.ends[i]-begin, b.took)
		begin = k.ends[i]
	}
	k.note(k.method, len(k.plain), n, least.of(len(k.plain))/time.Duration(len(k.crew)))
	k.plain, k.ends = k.plain[:0], k.ends[:0]
	return out[:n], blocks
}
