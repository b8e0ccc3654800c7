package extract

import (
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// keep returns the store for keys of a wide kind, or of a 64-bit kind with nulls, whose
// prefixes have prefixBits bits.
func (keyType) keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys {
	switch c.kind {
	case sortkey.String:
		return keepStrings(c, rows, arena)
	case sortkey.Bytes:
		return keepByteSlices(c, rows, arena)
	case sortkey.Addr:
		return keepAddrs(c, rows, arena)
	}
	if c.alone(prefixBits) {
		return keepNullsAtEnd(c, rows, arena)
	}
	w := &fixedKeys{Column: c}
	for j := firstWord(&c, prefixBits); j < c.kind.Words(); j++ {
		w.words[j] = scratch.Take[uint64](arena, rows.Len)
	}
	return w
}

// keep stores nothing: the keys are the elements.
func (selfKey) keep(c Column, _ int, rows Input, _ *scratch.Arena) FullKeys {
	return keepInMemory(c, rows.Slice.Raw())
}

// keep stores keys only if they are not given.
func (sliceKey) keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys {
	if !c.InMemory() {
		return keyType{}.keep(c, prefixBits, rows, arena)
	}
	return keepInMemory(c, c.slice())
}

// keep stores keys only if they are not given.
func (k *formatKey) keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys {
	if !c.InMemory() {
		return keyType{}.keep(c, prefixBits, rows, arena)
	}
	if texts, ok := k.Format.(textFormat); ok {
		t := givenTexts[string](c, nil)
		t.format = texts
		return t
	}
	return keysIn(c, k.Format)
}

// keepInMemory returns keys of a wide kind that lie in a slice.
func keepInMemory(c Column, keys stream.Raw) FullKeys {
	switch c.kind {
	case sortkey.String:
		return givenStrings(c, stream.SliceOf[string](keys))
	case sortkey.Bytes:
		return givenByteSlices(c, stream.SliceOf[[]byte](keys))
	}
	return keysIn(c, &inSlice{c.kind, keys})
}

// keysIn returns keys of a wide kind, no texts, that lie in a format.
func keysIn(c Column, from Format) FullKeys {
	if c.kind == sortkey.Addr {
		return &addrKeys{Column: c, given: from}
	}
	return &fixedKeys{Column: c, from: from}
}
