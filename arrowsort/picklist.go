package arrowsort

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// errUnknown is that of a type that this package does not know.
func errUnknown(typ arrow.DataType) error {
	return fmt.Errorf("%w: rows of type %s", arrow.ErrNotImplemented, typ)
}

// elementOf returns the type of the elements of lists.
func elementOf(typ arrow.DataType) arrow.DataType { return typ.(arrow.NestedType).Fields()[0].Type }

// listRow is the elements of a list: n from one on.
type listRow struct{ begin, n int64 }

// elements returns the positions of the elements of rows, of which list has the extents.
func (c *call) elements(rows []position, list func(p position) listRow, total int64) []position {
	elements := scratch[position](c, int(total))
	at := 0
	for _, p := range rows {
		l := list(p)
		for i := range l.n {
			elements[at] = positionAt(p.chunk(), int(l.begin+i))
			at++
		}
	}
	return elements
}

// pickLists returns rows of lists or maps with offsets of type O.
func pickLists[O int32 | int64](c *call, typ arrow.DataType, parts []part, rows []position) (*array.Data, error) {
	from, valid := extentsOf[O](parts), bitsOfParts(parts, 0)
	list := func(p position) listRow {
		if isNull(valid, p) {
			return listRow{}
		}
		at := from[p.chunk()][p.row():]
		return listRow{int64(at[0]), int64(at[1] - at[0])}
	}
	offsets := c.newBuffer((len(rows) + 1) * int(unsafe.Sizeof(O(0))))
	ends, total := castTo[O](offsets.Bytes(), len(rows)+1), int64(0)
	ends[0] = 0
	for i, p := range rows {
		total += list(p).n
		ends[i+1] = O(total)
	}
	if unsafe.Sizeof(O(0)) == 4 && total > c.mostText {
		return nil, errTooLong
	}
	children, err := c.pick(elementOf(typ), wholeChildren(parts, 0), c.elements(rows, list, total))
	if err != nil {
		return nil, err
	}
	return c.made(typ, parts, rows, []arrow.ArrayData{children}, offsets), nil
}

// pickListViews returns rows of list views, whose elements then follow each other.
func pickListViews[O int32 | int64](c *call, typ arrow.DataType, parts []part, rows []position) (*array.Data, error) {
	from, lengths, valid := valuesOf[O](parts, 1), valuesOf[O](parts, 2), bitsOfParts(parts, 0)
	list := func(p position) listRow {
		if isNull(valid, p) {
			return listRow{}
		}
		return listRow{int64(from[p.chunk()][p.row()]), int64(lengths[p.chunk()][p.row()])}
	}
	bytes := len(rows) * int(unsafe.Sizeof(O(0)))
	offsets, sizes := c.newBuffer(bytes), c.newBuffer(bytes)
	begins, ns, total := castTo[O](offsets.Bytes(), len(rows)), castTo[O](sizes.Bytes(), len(rows)), int64(0)
	for i, p := range rows {
		begins[i], ns[i] = O(total), O(list(p).n)
		total += int64(ns[i])
		if unsafe.Sizeof(O(0)) == 4 && total > c.mostText {
			return nil, errTooLong
		}
	}
	children, err := c.pick(elementOf(typ), wholeChildren(parts, 0), c.elements(rows, list, total))
	if err != nil {
		return nil, err
	}
	return c.made(typ, parts, rows, []arrow.ArrayData{children}, offsets, sizes), nil
}

// pickFixedLists returns rows of lists of one length.
func (c *call) pickFixedLists(typ *arrow.FixedSizeListType, parts []part, rows []position) (*array.Data, error) {
	n := int64(typ.Len())
	list := func(p position) listRow { return listRow{int64(p.row()) * n, n} }
	elements := c.elements(rows, list, n*int64(len(rows)))
	children, err := c.pick(typ.Elem(), childrenOf(parts, 0, int(n)), elements)
	if err != nil {
		return nil, err
	}
	return c.made(typ, parts, rows, []arrow.ArrayData{children}), nil
}

// pickSparse returns rows of unions whose children have all rows.
func (c *call) pickSparse(typ *arrow.SparseUnionType, parts []part, rows []position) (*array.Data, error) {
	children := make([]arrow.ArrayData, typ.NumFields())
	for i := range children {
		picked, err := c.pick(typ.Fields()[i].Type, childrenOf(parts, i, 1), rows)
		if err != nil {
			return nil, err
		}
		children[i] = picked
	}
	return c.union(typ, rows, children, c.pickFixed(parts, 1, 1, rows)), nil
}

// pickDense returns rows of unions whose offsets lead to the rows of children.
func (c *call) pickDense(typ *arrow.DenseUnionType, parts []part, rows []position) (*array.Data, error) {
	codes := c.pickFixed(parts, 1, 1, rows)
	from := valuesOf[int32](parts, 2)
	buffer := c.newBuffer(4 * len(rows))
	offsets := castTo[int32](buffer.Bytes(), len(rows))
	of := make([][]position, typ.NumFields())
	for i, p := range rows {
		child := typ.ChildIDs()[int8(codes.Bytes()[i])]
		if child < 0 || child >= len(of) {
			return nil, fmt.Errorf("%w: a union with type code %d", arrow.ErrInvalid, codes.Bytes()[i])
		}
		offsets[i] = int32(len(of[child]))
		of[child] = append(of[child], positionAt(p.chunk(), int(from[p.chunk()][p.row()])))
	}
	children := make([]arrow.ArrayData, len(of))
	for i := range children {
		picked, err := c.pick(typ.Fields()[i].Type, wholeChildren(parts, i), of[i])
		if err != nil {
			return nil, err
		}
		children[i] = picked
	}
	return c.union(typ, rows, children, codes, buffer), nil
}
