package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/stream"
)

// A partition moves every element to its bucket, stripe by stripe, keeping the order inside
// each. It moves payload and codes, indices and codes, or codes alone. Each has two loops:
// plain stores to the final place, or stores through a combiner. The loops are written out
// because they are the memory-bound heart of the sort.

// partition calls stripe for every stripe, then block for each block of the stripe, then end.
func (b *buckets[C]) partition(env *engine.Env, codes view[C], stripe func(next *stream.Slots) (block func(lo int, codes []C), end func())) error {
	buffers := engine.NewBuffers[C](env)
	err := env.Stage("partition", b.count, 1, func(worker, i, _ int) {
		block, end := stripe(&b.next[i])
		b.each(env, i, codes, buffers.Of(worker), block)
		end()
	})
	return env.Stopped(err)
}

// placer moves elements of one type, and their codes, to their buckets. len(src) ==
// len(codes).
type placer[C Code] interface {
	place(b *buckets[C], next *stream.Slots, dst Payload, dstCodes []C, src Payload, codes []C)
	combine(b *buckets[C], next *stream.Slots, elements, moved *stream.Combiner, src Payload, codes []C)
}

// placerOf returns the placer of the elements of p.
func placerOf[C Code](p Payload) placer[C] {
	of32, of64 := p.by.placers()
	if of, ok := any(of32).(placer[C]); ok {
		return of
	}
	return any(of64).(placer[C])
}

// partitionElements moves s with its codes.
func partitionElements[C Code](env *engine.Env, b *buckets[C], s Payload, codes view[C], dst Payload, dstCodes []C) error {
	size := dst.Size()
	bytes := b.n * int(size+unsafe.Sizeof(dstCodes[0]))
	to := stream.PlainOf(dstCodes)
	combine := stream.Combines(bytes, dst.plain()) && stream.Combines(bytes, to)
	log, _ := stream.CombineLog(size)
	// A loop in assembly asks for the lines that it will write to (EPYC, 2 workers, 2026-11-25, 10^6 24-byte
	// elements: 1.7 instead of 4.2 ns; bench/results/constants.md).
	lines, plain := combine && log == 0 && b.fewPlaces(2), !combine || b.plainStores(env, 2)
	move, loop := placerOf[C](s), loops.Place(nil)
	switch code := unsafe.Sizeof(b.min); {
	case lines:
		loop = loops.PlaceLinesOf(code)
	case plain:
		loop = loops.PlaceOf(size, code)
	}
	return b.partition(env, codes, func(next *stream.Slots) (func(int, []C), func()) {
		switch {
		case loop != nil:
			return func(lo int, block []C) {
				b.placeBy(loop, next, dst, dstCodes, s.Part(lo, lo+len(block)), block)
			}, stream.Fence
		case lines:
			lines, src := dst.lines(), s.lines()
			return func(lo int, block []C) { streamElements(b, next, lines, dstCodes, src[lo:], block) }, stream.Fence
		case plain:
			return func(lo int, block []C) {
				move.place(b, next, dst, dstCodes, s.Part(lo, lo+len(block)), block)
			}, func() {}
		}
		start := next.Copy(&env.Arena)
		both, _ := stream.CombineLog(unsafe.Sizeof(b.min))
		both = max(log, both) // flushed together: one hard-to-predict branch instead of two
		moved := stream.NewCombiner(&env.Arena, to, start, b.len(), both)
		if log == 0 {
			lines, src := dst.lines(), s.lines()
			return func(lo int, block []C) { streamCombined(b, next, lines, &moved, src[lo:], block) },
				func() { moved.Finish(next, b.len()) }
		}
		elements := stream.NewCombiner(&env.Arena, dst.plain(), start, b.len(), both)
		return func(lo int, block []C) {
				move.combine(b, next, &elements, &moved, s.Part(lo, lo+len(block)), block)
			},
			func() {
				elements.Finish(next, b.len())
				moved.Finish(next, b.len())
			}
	})
}

// placeBy is place by a loop that does not know the type of elements. len(src) == len(codes) > 0.
//
// Sound: cells and buckets are masked, so they are numbers of table and next, and places are compared.
// For pointers see [stream.Combines]: scratch for them is clear, and is stored in words.
func (b *buckets[C]) placeBy(loop loops.Place, next *stream.Slots, dst Payload, dstCodes []C, src Payload, codes []C) {
	src = src.First(len(codes))
	b.placed(loop(unsafe.Pointer(&codes[0]), len(codes), uint64(b.min), uint64(b.shift), &b.table[0], &next[0],
		src.data, dst.data, unsafe.Pointer(&dstCodes[0]), min(dst.n, len(dstCodes))))
}

// placed panics unless all elements of a block found places.
func (b *buckets[C]) placed(ok bool) {
	if !ok {
		panic("sorter: keys changed during the sort")
	}
}

// placing is the placer of elements of type E.
type placing[E any, C Code] struct{}

//go:noinline
func (*placing[E, C]) place(b *buckets[C], next *stream.Slots, to Payload, dstCodes []C, from Payload, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	dst, src := Slice[E](to), Slice[E](from)[:len(codes)]
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = src[i]
		dstCodes[at] = code
	}
}

// streamElements is place for 64-byte elements, stored past the caches.
func streamElements[C Code](b *buckets[C], next *stream.Slots, dst [][64]byte, dstCodes []C, src [][64]byte, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	src = src[:len(codes)]
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		// Sound: each element is a whole aligned line; for pointers see stream.Combines.
		stream.Lines(unsafe.Pointer(&dst[at]), unsafe.Pointer(&src[i]), 1)
		dstCodes[at] = code
	}
}

// streamCombined is combine for 64-byte elements, stored past the caches.
func streamCombined[C Code](b *buckets[C], next *stream.Slots, dst [][64]byte, moved *stream.Combiner, src [][64]byte, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	buf, log, mask := stream.SliceOf[C](moved.Buf), moved.Log, uint32(1)<<moved.Log-1
	src = src[:len(codes)]
	for i, code := range codes {
		k := uint32(table[c.of(code)] % bucketSlots)
		at := next[k]
		next[k] = at + 1
		// Sound as in streamElements.
		stream.Lines(unsafe.Pointer(&dst[at]), unsafe.Pointer(&src[i]), 1)
		buf[k<<log+at&mask] = code
		if at&mask == mask {
			moved.Flush(k, at+1)
		}
	}
}

//go:noinline
func (*placing[E, C]) combine(b *buckets[C], next *stream.Slots, elements, moved *stream.Combiner, from Payload, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	buf, bufCodes := stream.SliceOf[E](elements.Buf), stream.SliceOf[C](moved.Buf)
	log, mask := elements.Log, uint32(1)<<elements.Log-1
	src := Slice[E](from)[:len(codes)]
	for i, code := range codes {
		k := uint32(table[c.of(code)] % bucketSlots)
		at := next[k]
		next[k] = at + 1
		slot := k<<log + at&mask
		buf[slot] = src[i]
		bufCodes[slot] = code
		if at&mask == mask {
			elements.Flush(k, at+1)
			moved.Flush(k, at+1)
		}
	}
}

// partitionAlong moves src by codes, which are not moved.
func partitionAlong[T any, C Code](env *engine.Env, b *buckets[C], codes []C, src, dst []T) error {
	to := stream.PlainOf(dst)
	combine := !b.plainStores(env, 1) && stream.Combines(to.Bytes(), to)
	return b.partition(env, in(codes), func(next *stream.Slots) (func(int, []C), func()) {
		if !combine {
			return func(lo int, block []C) { moveAlong(b, next, dst, src[lo:], block) }, func() {}
		}
		start := next.Copy(&env.Arena)
		log, _ := stream.CombineLog(to.Size())
		moved := stream.NewCombiner(&env.Arena, to, start, b.len(), log)
		return func(lo int, block []C) { combineAlong(b, next, &moved, src[lo:], block) },
			func() { moved.Finish(next, b.len()) }
	})
}

func moveAlong[T any, C Code](b *buckets[C], next *stream.Slots, dst, src []T, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	src = src[:len(codes)]
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = src[i]
	}
}

func combineAlong[T any, C Code](b *buckets[C], next *stream.Slots, moved *stream.Combiner, src []T, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	buf, log, mask := stream.SliceOf[T](moved.Buf), moved.Log, uint32(1)<<moved.Log-1
	src = src[:len(codes)]
	for i, code := range codes {
		k := uint32(table[c.of(code)] % bucketSlots)
		at := next[k]
		next[k] = at + 1
		buf[k<<log+at&mask] = src[i]
		if at&mask == mask {
			moved.Flush(k, at+1)
		}
	}
}

// partitionIndices moves the numbers first, first+1, … with their codes.
func partitionIndices[C Code](env *engine.Env, b *buckets[C], first int, codes []C, dst []uint32, dstCodes []C) error {
	bytes := b.n * int(unsafe.Sizeof(dst[0])+unsafe.Sizeof(codes[0]))
	numbers, to := stream.PlainOf(dst), stream.PlainOf(dstCodes)
	combine := !b.plainStores(env, 2) && stream.Combines(bytes, numbers) && stream.Combines(bytes, to)
	loop := loops.PlaceIndicesOf(unsafe.Sizeof(b.min))
	return b.partition(env, in(codes), func(next *stream.Slots) (func(int, []C), func()) {
		switch {
		case !combine && loop != nil:
			return func(lo int, block []C) {
				b.placed(loop(unsafe.Pointer(&block[0]), len(block), uint64(b.min), uint64(b.shift), &b.table[0], &next[0],
					uint64(first+lo), unsafe.Pointer(&dst[0]), unsafe.Pointer(&dstCodes[0]), min(len(dst), len(dstCodes))))
			}, func() {}
		case !combine:
			return func(lo int, block []C) { moveIndices(b, next, dst, dstCodes, first+lo, block) }, func() {}
		}
		start := next.Copy(&env.Arena)
		index := stream.NewCombiner(&env.Arena, numbers, start, b.len(), stream.IndicesLog)
		moved := stream.NewCombiner(&env.Arena, to, start, b.len(), stream.IndicesLog)
		moved.Enter(&env.Arena, next, b.len())
		return func(lo int, block []C) { combineIndices(b, next, &index, &moved, first+lo, block) },
			func() {
				moved.Leave(next, b.len())
				index.Finish(next, b.len())
				moved.Finish(next, b.len())
			}
	})
}

func moveIndices[C Code](b *buckets[C], next *stream.Slots, dst []uint32, dstCodes []C, base int, codes []C) {
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	for i, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = uint32(base + i)
		dstCodes[at] = code
	}
}

// combineIndices fills the buffers of both combiners alike. next holds places of them, see
// [stream.Combiner.Enter].
func combineIndices[C Code](b *buckets[C], next *stream.Slots, index, moved *stream.Combiner, base int, codes []C) {
	buf, bufCodes := stream.SliceOf[uint32](index.Buf), stream.SliceOf[C](moved.Buf)
	for len(codes) > 0 {
		done, k, full := fillIndices(b, next, moved.Log, buf, bufCodes, base, codes)
		base, codes = base+done, codes[done:]
		if full {
			end := moved.Full(next, k)
			moved.Flush(k, end)
			index.Flush(k, end)
		}
	}
}

// fillIndices puts indices and codes into buffers until that of bucket k is full or all are there.
func fillIndices[C Code](b *buckets[C], next *stream.Slots, log uint, buf []uint32, bufCodes []C, base int, codes []C) (done int, k uint32, full bool) {
	if loop := loops.FillIndicesOf(unsafe.Sizeof(b.min)); loop != nil {
		// Sound: cells and buckets are masked, so they are numbers of table and next, and places are
		// compared with the length of both buffers.
		left, k := loop(unsafe.Pointer(&codes[0]), len(codes), uint64(b.min), uint64(b.shift), &b.table[0], &next[0],
			unsafe.Pointer(&bufCodes[0]), min(len(buf), len(bufCodes)), 1<<log-1, unsafe.Pointer(&buf[0]), uint64(base))
		return filled(len(codes), left, k)
	}
	c, table, mask := b.cells, b.table, uint32(1)<<(log&31)-1
	_, _ = next[0], table[0] // known not to be nil in the loop
	for i, code := range codes {
		k := uint32(table[c.of(code)] % bucketSlots)
		at := next[k]
		next[k] = at + 1
		buf[at] = uint32(base + i)
		bufCodes[at] = code
		if at&mask == mask {
			return i + 1, k, true
		}
	}
	return len(codes), 0, false
}

// partitionCodes moves codes alone.
func partitionCodes[C Code](env *engine.Env, b *buckets[C], codes view[C], dst []C) error {
	to := stream.PlainOf(dst)
	combine := !b.plainStores(env, 1) && stream.Combines(to.Bytes(), to)
	return b.partition(env, codes, func(next *stream.Slots) (func(int, []C), func()) {
		if !combine {
			return func(_ int, block []C) { moveCodes(b, next, dst, block) }, func() {}
		}
		start := next.Copy(&env.Arena)
		moved := stream.NewCombiner(&env.Arena, to, start, b.len(), stream.AloneLog(to.Size()))
		moved.Enter(&env.Arena, next, b.len())
		return func(_ int, block []C) { combineCodes(b, next, &moved, block) },
			func() {
				moved.Leave(next, b.len())
				moved.Finish(next, b.len())
			}
	})
}

func moveCodes[C Code](b *buckets[C], next *stream.Slots, dst []C, codes []C) {
	if c := b.cells; c.close(codes) {
		moveRuns(b, next, dst, codes)
		return
	}
	c, table := b.cells, b.table
	_, _ = next[0], table[0] // known not to be nil in the loop
	for _, code := range codes {
		k := table[c.of(code)] % bucketSlots
		at := next[k]
		next[k] = at + 1
		dst[at] = code
	}
}

// moveRuns is moveCodes for runs of one bucket.
func moveRuns[C Code](b *buckets[C], next *stream.Slots, dst []C, codes []C) {
	c, table := b.cells, b.table
	for lo := 0; lo < len(codes); {
		k, hi := table[c.of(codes[lo])]%bucketSlots, lo+1
		for hi < len(codes) && table[c.of(codes[hi])]%bucketSlots == k {
			hi++
		}
		next[k] += uint32(copy(dst[next[k]:], codes[lo:hi]))
		lo = hi
	}
}

// combineCodes is [combineIndices] of codes alone.
func combineCodes[C Code](b *buckets[C], next *stream.Slots, moved *stream.Combiner, codes []C) {
	buf := stream.SliceOf[C](moved.Buf)
	for len(codes) > 0 {
		done, k, full := fillCodes(b, next, moved.Log, buf, codes)
		codes = codes[done:]
		if full {
			moved.Flush(k, moved.Full(next, k))
		}
	}
}

// fillCodes puts codes into buffers until that of bucket k is full or all are there. The loop that
// flushes is another, so that the compiler keeps this one in registers.
func fillCodes[C Code](b *buckets[C], next *stream.Slots, log uint, buf, codes []C) (done int, k uint32, full bool) {
	if loop := loops.FillOf(unsafe.Sizeof(b.min)); loop != nil {
		// Sound as in fillIndices.
		left, k := loop(unsafe.Pointer(&codes[0]), len(codes), uint64(b.min), uint64(b.shift), &b.table[0], &next[0],
			unsafe.Pointer(&buf[0]), len(buf), 1<<log-1)
		return filled(len(codes), left, k)
	}
	c, table, mask := b.cells, b.table, uint32(1)<<(log&31)-1
	_, _ = next[0], table[0] // known not to be nil in the loop
	for i, code := range codes {
		k := uint32(table[c.of(code)] % bucketSlots)
		at := next[k]
		next[k] = at + 1
		buf[at] = code
		if at&mask == mask {
			return i + 1, k, true
		}
	}
	return len(codes), 0, false
}

// filled turns the result of a [loops.Fill] of n elements into that of its caller.
func filled(n, left int, k uint32) (done int, bucket uint32, full bool) {
	if left == loops.OutOfBuffers {
		panic("sorter: keys changed during the sort")
	}
	return n - max(left, 0), k, left != loops.AllFilled
}

// plainPlaces is the number of write places up to which plain stores win (EPYC, 2 cores, 2026-11,
// order of 2·10^7 32-bit codes in 400 buckets, with two places each: 7.5 ns instead of 12.3 with one
// worker, 3.7 instead of 5.9 with two; bench/results/constants.md).
const plainPlaces = 1024

// fewPlaces reports whether plain stores win where elements go to the given number of places per
// bucket, as far as the caches decide.
func (b *buckets[C]) fewPlaces(places int) bool { return b.len()*places <= plainPlaces }

// manyWorkers is the number of workers from which the bandwidth of memory decides. A plain store
// reads the line that it writes to (Xeon 2023, 16 workers, 2026-11, 2.4·10^7 elements in 480
// buckets: 3.2 instead of 4.4 ns per 24-byte element; bench/results/constants.md).
const manyWorkers = 8

// plainStores reports whether a partition that writes to the given number of places per bucket uses
// plain stores.
func (b *buckets[C]) plainStores(env *engine.Env, places int) bool {
	return env.Loop.Workers < manyWorkers && b.fewPlaces(places)
}
