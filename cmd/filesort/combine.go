package main

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"example.com/sorter/extsort"
)

// combines reports whether rows that tie become one before they go to disk, with their number: -u alone leaves that to
// package extsort, which keeps the first.
func (s *selection) combines() bool { return s.last || s.counts != "" }

// combinerMemory returns the part of the memory of runs in which rows are combined.
func (s *selection) combinerMemory(runs int64) int64 {
	if !s.combines() {
		return 0
	}
	return runs / 4
}

// cutCount cuts off the number of rows that tie, a varint which rows begin with that are combined.
func cutCount(row string) (count int, rest string) {
	count, at := prefixOf(row)
	return count, row[at:]
}

// tying says of elements that are combined what a combiner and a selector have to know.
type tying struct {
	same    func(a, b string) bool // they tie
	hash    func(e string) uint64  // the same of those that tie
	counted func(e string) string  // the end of e that begins with the count
}

// combiner appends elements to a sorter. Those that tie become one as long as memory holds it: the first or the last of
// them, with their number. It holds elements up to a bound, and appends all of them in their order when that is reached.
// So of those that tie, those that came before are before the others in the sorter.
//
// An element that it gets has the count 1.
type combiner struct {
	*extsort.Sorter[string]
	tying
	last bool  // of elements that tie, the last stays
	most int64 // bytes of those that are held; 0: none is, and elements need no count

	rows     int64          // that were appended
	straight int64          // of those to come, the number that is not combined
	since    int64          // rows since none was held
	places   map[uint64]int // in held, by hashes
	held     []combined
	blocks   [][]byte // memory of elements
	full     int      // of blocks, those before the one that is being filled
	long     int64    // bytes of elements that are in no block
}

// combined is an element, and how many tie with it, itself included.
type combined struct {
	element []byte
	count   uint64
}

const (
	heldBlock = 64 << 10
	heldBytes = 96 // of an element that is held, beside it: its place in a map and in a list that grow
)

func newCombiner(s *extsort.Sorter[string], t tying, last bool, most int64) *combiner {
	c := &combiner{Sorter: s, tying: t, last: last, most: most, places: map[uint64]int{}}
	if most == 0 {
		c.straight = math.MaxInt64
	}
	return c
}

// Append takes elements, whose memory may change after the call.
func (c *combiner) Append(all ...string) error {
	for len(all) > 0 {
		if c.straight == 0 && int64(len(all[0])) <= c.most/4 {
			if err := c.add(all[0]); err != nil {
				return err
			}
			c.rows++
			all = all[1:]
			continue
		}
		if err := c.Flush(); err != nil {
			return err
		}
		n, before := min(max(c.straight, 1), int64(len(all))), c.Sorter.Len()
		err := c.Sorter.Append(all[:n]...)
		c.rows += c.Sorter.Len() - before
		if err != nil {
			return err
		}
		c.straight = max(c.straight-n, 0)
		all = all[n:]
	}
	return nil
}

// Len returns the number of elements that were appended.
func (c *combiner) Len() int64 { return c.rows }

// add combines an element with the one that is held of those it ties with, or holds it. Of two keys with the same hash, only
// the one that came last is found.
func (c *combiner) add(e string) error {
	hash := c.hash(e)
	c.since++
	if at, ok := c.places[hash]; ok && c.same(stringOf(c.held[at].element), e) {
		c.join(&c.held[at], e)
	} else {
		c.places[hash] = len(c.held)
		c.held = append(c.held, combined{c.copy(e), 1})
	}
	if c.size() <= c.most {
		return nil
	}
	// Where few tie, most elements go straight to the sorter.
	if int64(len(c.held)) > c.since/4*3 {
		c.straight = 8 * c.since
	}
	return c.Flush()
}

// join counts an element that ties with one which is held.
func (c *combiner) join(h *combined, e string) {
	h.count++
	switch {
	case !c.last:
	case len(e) <= cap(h.element):
		h.element = append(h.element[:0], e...)
	default:
		h.element = c.copy(e)
	}
}

// size returns the bytes of what is held.
func (c *combiner) size() int64 {
	return int64(c.full+1)*heldBlock + c.long + int64(len(c.held))*heldBytes
}

// copy returns a copy of an element in the memory of what is held.
func (c *combiner) copy(e string) []byte {
	if len(e) > heldBlock/4 {
		c.long += int64(len(e))
		return []byte(e)
	}
	if len(c.blocks) > 0 && len(c.blocks[c.full])+len(e) > heldBlock {
		c.full++
	}
	if c.full == len(c.blocks) {
		c.blocks = append(c.blocks, make([]byte, 0, heldBlock))
	}
	block := &c.blocks[c.full]
	from := len(*block)
	*block = append(*block, e...)
	return slices.Clip((*block)[from:])
}

// Flush appends what is held to the sorter.
func (c *combiner) Flush() error {
	const batch = 1024
	var elements []string
	var text []byte
	for i, h := range c.held {
		e := stringOf(h.element)
		if h.count > 1 {
			from := len(text)
			text = c.appendCombined(text, h)
			e = stringOf(text[from:])
		}
		if elements = append(elements, e); len(elements) < batch && len(text) < heldBlock && i < len(c.held)-1 {
			continue
		}
		if err := c.Sorter.Append(elements...); err != nil {
			return err
		}
		elements, text = elements[:0], text[:0]
	}
	for i := range c.blocks[:min(c.full+1, len(c.blocks))] {
		c.blocks[i] = c.blocks[i][:0]
	}
	clear(c.places)
	clear(c.held)
	c.held, c.full, c.long, c.since = c.held[:0], 0, 0, 0
	return nil
}

// appendCombined appends an element with its count.
func (c *combiner) appendCombined(dst []byte, h combined) []byte {
	counted := c.counted(stringOf(h.element))
	_, rest := cutCount(counted)
	dst = append(dst, h.element[:len(h.element)-len(counted)]...)
	return append(binary.AppendUvarint(dst, h.count), rest...)
}

// hashOf returns a hash of texts.
func hashOf(of func(e string) string) func(e string) uint64 {
	seed := maphash.MakeSeed()
	return func(e string) uint64 { return maphash.String(seed, of(e)) }
}
