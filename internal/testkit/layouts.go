package testkit

import (
	"encoding/binary"
	"math/rand/v2"
)

// ArenaOf returns texts in an arena with bytes before and after them that belong to none.
func ArenaOf[O int32 | int64](texts []string) (data []byte, offsets []O) {
	data = append(make([]byte, 0, Bytes(texts)+16), "before"...)
	offsets = append(make([]O, 0, len(texts)+1), O(len(data)))
	for _, text := range texts {
		data = append(data, text...)
		offsets = append(offsets, O(len(data)))
	}
	return append(data, "after"...), offsets
}

// Bytes returns the bytes of texts.
func Bytes(texts []string) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// ViewsOf returns texts in views of some buffers, in no order. Views of nulls hold garbage.
func ViewsOf(texts []string, isNull func(row int) bool, r *rand.Rand) (views []byte, buffers [][]byte) {
	buffers = make([][]byte, 3)
	for i := range buffers {
		buffers[i] = make([]byte, 0, Bytes(texts)/2)
	}
	views = make([]byte, 16*len(texts))
	for _, row := range r.Perm(len(texts)) {
		text, view := texts[row], views[16*row:][:16]
		binary.LittleEndian.PutUint32(view, uint32(len(text)))
		switch {
		case isNull(row):
			copy(view, "\xff\xff\xff\xffgarbage..")
		case len(text) <= 12:
			copy(view[4:], text)
		default:
			b := r.IntN(len(buffers))
			copy(view[4:8], text)
			binary.LittleEndian.PutUint32(view[8:], uint32(b))
			binary.LittleEndian.PutUint32(view[12:], uint32(len(buffers[b])))
			buffers[b] = append(buffers[b], text...)
		}
	}
	return views, buffers
}

// Cut returns s in chunks, at random places, of which some are empty.
func Cut[T any](s []T, r *rand.Rand) (chunks [][]T) {
	for len(s) > 0 {
		n := min(len(s), r.IntN(len(s)/8+4))
		chunks, s = append(chunks, s[:n:n]), s[n:]
	}
	return append(chunks, nil)
}
