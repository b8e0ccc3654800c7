package cpu

import "example.com/sorter/internal/engine"

// A partition moves every element to its bucket, stripe by stripe, keeping the
// order inside each. Three loops differ in what travels: payload and codes,
// indices and codes, or codes alone. They are written out because they are the
// memory-bound heart of the sort.

// partition runs one of them over the blocks of all stripes.
func (b *buckets[C]) partition(env *engine.Env, n int, codes view[C], move func(next *slots, lo int, block []C)) error {
	env.Trace.Rounds++
	buffers := newBuffers[C](env)
	err := env.Stage("partition", b.stripes, 1, func(worker, i, _ int) {
		b.each(env, n, i, codes, buffers.of(worker), func(lo int, block []C) {
			move(&b.next[i], lo, block)
		})
	})
	return stopped(env, err)
}

// moveElements partitions elements together with their codes.
func moveElements[E any, C Code](b *buckets[C], next *slots, dst []E, dstCodes []C, src []E, codes []C) {
	c, table := b.cells, b.table
	src = src[:len(codes)]
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = src[i]
		dstCodes[at] = code
	}
}

// moveIndices partitions the positions base, base+1, … with their codes.
func moveIndices[C Code](b *buckets[C], next *slots, dst []uint32, dstCodes []C, base int, codes []C) {
	c, table := b.cells, b.table
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = uint32(base + i)
		dstCodes[at] = code
	}
}

// moveCodes partitions codes alone.
func moveCodes[C Code](b *buckets[C], next *slots, dst []C, codes []C) {
	c, table := b.cells, b.table
	for _, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = code
	}
}
