//go:build peers

package main

import (
	"github.com/twotwotwo/sorts"
	"github.com/twotwotwo/sorts/sortutil"
)

// Keys for the radix sorts of twotwotwo/sorts.

func (s rec24s) Key(i int) uint64    { return sortutil.Float32Key(s[i].Key) }
func (s rec64s) Key(i int) int64     { return s[i].Key }
func (s vec4s) Key(i int) uint64     { return sortutil.Float32Key(s[i][0]) }
func (s entries) Key(i int) string   { return s[i].Name }
func (s *keyIndex) Key(i int) uint64 { return sortutil.Float32Key(s.keys[s.index[i]]) }

// pair is a 64-bit code with the index of its element: such a code leaves no
// room for an index in a 64-bit word, so zermelo cannot sort it.
type pair struct {
	code  uint64
	index uint32
}

type pairs []pair

func (s pairs) Len() int           { return len(s) }
func (s pairs) Less(i, j int) bool { return s[i].code < s[j].code }
func (s pairs) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s pairs) Key(i int) uint64   { return s[i].code }

// composedPairs is [composed] for 64-bit codes.
func composedPairs(d *data[rec64]) func(run int) {
	var codes pairs
	return func(run int) {
		s := d.run(run)
		codes = grown(codes, len(s))
		for i := range s {
			codes[i] = pair{uint64(s[i].Key) ^ 1<<63, uint32(i)}
		}
		sorts.ByUint64(codes)
		sorted := d.borrow()
		for i, p := range codes {
			sorted[i] = s[p.index]
		}
		copy(s, sorted)
	}
}
