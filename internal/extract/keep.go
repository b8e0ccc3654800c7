package extract

import (
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// keep returns the store for keys of a wide kind, or of a 64-bit kind with nulls, whose
// prefixes have prefixBits bits.
func (keyType) keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys {
	switch c.kind {
	case sortkey.String:
		return keepTexts[string](c, rows, arena)
	case sortkey.Bytes:
		return keepTexts[[]byte](c, rows, arena)
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
func (rowKeys) keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys {
	if !c.InMemory() {
		return keyType{}.keep(c, prefixBits, rows, arena)
	}
	if keys, ok := c.made.Slice(); ok {
		return keepInMemory(c, keys)
	}
	from := c.made.Format()
	if texts, ok := from.(column.TextFormat); ok {
		return &Strings[string]{Column: c, format: texts}
	}
	return keysIn(c, from)
}

// keepInMemory returns keys of a wide kind that lie in a slice.
func keepInMemory(c Column, keys stream.Raw) FullKeys {
	switch c.kind {
	case sortkey.String:
		return &Strings[string]{Column: c, Keys: stream.SliceOf[string](keys)}
	case sortkey.Bytes:
		return &Strings[[]byte]{Column: c, Keys: stream.SliceOf[[]byte](keys)}
	}
	return keysIn(c, column.InMemory(c.kind, keys))
}

// keysIn returns keys of a wide kind, no texts, that lie in a format.
func keysIn(c Column, from column.Format) FullKeys {
	if c.kind == sortkey.Addr {
		return &addrKeys{Column: c, given: from}
	}
	return &fixedKeys{Column: c, from: from}
}
