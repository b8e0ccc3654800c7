package extract

import (
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// Plain returns the keys of rows as they lie in memory, if the codes of the word follow from their
// bits: those of one column without nulls, in a slice, in input order, of a kind as wide as its
// codes. Otherwise it is nil. Rows that are copied while they are read are not plain.
func (l *Word) Plain(rows Input) *engine.Plain {
	if len(l.narrow) != 1 || l.wide != nil || rows.Picked != nil || rows.Aside.Data() != nil {
		return nil
	}
	c := &l.narrow[0]
	m, ok := sortkey.MappingOf(c.kind, c.Order, false)
	if at := c.keysAt(rows); ok && at != nil && c.Nulls == column.NoNulls && c.width == 0 {
		return &engine.Plain{At: at, Code: m}
	}
	return nil
}

// KeysAt returns the memory of the keys of all rows, nil if they do not lie in a slice, or some are null.
func (c *Column) KeysAt(rows Input) unsafe.Pointer {
	if c.Nulls != column.NoNulls || c.width != 0 || rows.Picked != nil || rows.Aside.Data() != nil {
		return nil
	}
	return c.keysAt(rows)
}

// keysAt returns the memory of the keys of all rows, nil if they do not lie in a slice.
func (c *Column) keysAt(rows Input) unsafe.Pointer {
	switch c.Key.(type) {
	case selfKey:
		return rows.Slice.Data()
	case rowKeys:
		if keys, ok := c.made.Slice(); ok && c.numbered { // no rows are picked
			return keys.Data()
		}
	}
	return nil
}
