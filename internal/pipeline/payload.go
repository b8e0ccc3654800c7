package pipeline

import (
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// devicePayload is the payload that an engine may move together with the codes. Its writes
// can be undone: copies are made while keys are extracted.
type devicePayload struct {
	engine.Elements
	undo    func(lo, hi int)                 // restores these places
	gather  func(lo, hi int, index []uint32) // moves the elements of these places, from the copies
	written atomic.Bool

	mu   sync.Mutex
	left []emitted // places of which the engine emitted positions
}

// emitted is places [lo, hi) of an order.
type emitted struct{ lo, hi int }

// elementPayload returns s as a device-moved payload; aside holds its copy. It is nil if s has
// pointers, which the collector would not find on the device. It is nil for several words, too:
// elements that tie by the first would be sent to the device in vain.
func elementPayload(s, aside cpu.Payload, words []extract.Word) *devicePayload {
	if s.HasPointers() || len(words) > 1 {
		return nil
	}
	size, all := int(s.Size()), s.Bytes()
	c := &devicePayload{
		undo:   func(lo, hi int) { s.Part(lo, hi).Copy(aside.Part(lo, hi)) },
		gather: func(lo, hi int, index []uint32) { s.Part(lo, hi).GatherPast(aside, index[lo:hi]) },
	}
	c.Size = size
	c.Pull = func(dst []byte, lo int) { copy(dst, all[lo*size:]) }
	c.Push = func(lo int, elements []byte) { stream.CopyPast(all, lo*size, elements) }
	return c
}

// pair is a key beside its value.
type pair[K sortkey.Key, V any] struct {
	key   K
	value V
}

// pairPayload is elementPayload for keys and values. Its Pull makes their copies.
func pairPayload[K sortkey.Key, V any](keys, asideKeys []K, values, asideValues []V) *devicePayload {
	if scratch.HasPointers[pair[K, V]]() {
		return nil
	}
	c := &devicePayload{
		undo: func(lo, hi int) {
			copy(keys[lo:hi], asideKeys[lo:hi])
			copy(values[lo:hi], asideValues[lo:hi])
		},
		gather: func(lo, hi int, index []uint32) {
			perm.Gather(keys[lo:hi], asideKeys, index[lo:hi], 1)
			perm.Gather(values[lo:hi], asideValues, index[lo:hi], 1)
		},
	}
	c.Size = int(unsafe.Sizeof(pair[K, V]{}))
	c.Pull = func(dst []byte, lo int) {
		pairs := pairsIn[K, V](dst)
		k, v := keys[lo:lo+len(pairs)], values[lo:lo+len(pairs)]
		for i := range pairs {
			pairs[i] = pair[K, V]{k[i], v[i]}
		}
		stream.CopyPast(asideKeys, lo, k)
		stream.CopyPast(asideValues, lo, v)
	}
	c.Push = func(lo int, elements []byte) {
		pairs := pairsIn[K, V](elements)
		k, v := keys[lo:lo+len(pairs)], values[lo:lo+len(pairs)]
		for i, p := range pairs {
			k[i], v[i] = p.key, p.value
		}
	}
	return c
}

// pairsIn views memory of an engine as pairs.
func pairsIn[K sortkey.Key, V any](memory []byte) []pair[K, V] {
	// Sound: engines give whole elements, aligned for any type, and pairs that
	// an engine moves hold no pointers.
	return unsafe.Slice((*pair[K, V])(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(pair[K, V]{})))
}

// offer lets the engine of a job move the payload, unless c is nil. The engine emits positions
// of elements that it does not move. It calls settle, which breaks ties, before it moves any.
func (c *devicePayload) offer(job *engine.Job, settle func() error) {
	if c == nil {
		return
	}
	c.left = nil // an engine that failed may have emitted some
	emit, push := job.Emit, c.Push
	job.Emit = func(lo int, order []uint32) {
		emit(lo, order)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = append(c.left, emitted{lo, lo + len(order)})
	}
	c.Settle = settle
	c.Push = func(lo int, elements []byte) {
		c.written.Store(true)
		push(lo, elements)
	}
	job.Elements = &c.Elements
}

// moved reports whether the engine has moved anything.
func (c *devicePayload) moved() bool { return c != nil && c.written.Load() }

// finish moves the elements for which the engine emitted positions; it has moved the others.
func (c *devicePayload) finish(r *Request, index []uint32) error {
	r.Commit() // the sort finishes
	if len(c.left) == 0 {
		return nil
	}
	ends := make([]int, len(c.left)) // ends of c.left in the concatenation of all spans
	n := 0
	for i, s := range c.left {
		n += s.hi - s.lo
		ends[i] = n
	}
	return r.Stage("gather", n, r.piece(n), func(_, lo, hi int) {
		for i := sort.SearchInts(ends, lo+1); lo < hi; i++ {
			end := min(hi, ends[i])
			at := c.left[i].hi - ends[i]
			c.gather(at+lo, at+end, index)
			lo = end
		}
	})
}

// restore undoes all writes of the engine.
func (c *devicePayload) restore(r *Request) {
	if c.moved() {
		r.restore(c.undo)
		c.written.Store(false)
	}
}
