package arrowsort

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// sizes counts the bytes that rows take. A dictionary counts once: with the first rows that keep was
// called for.
type sizes struct {
	seen   map[arrow.ArrayData]bool
	values int64 // of dictionaries

	new       []arrow.ArrayData // of the last call of ofBatch
	newValues int64
}

// keep notes that the rows of the last call of ofBatch are kept.
func (s *sizes) keep() {
	for _, data := range s.new {
		if s.seen == nil {
			s.seen = map[arrow.ArrayData]bool{}
		}
		s.seen[data] = true
	}
	s.values += s.newValues
	s.new, s.newValues = nil, 0
}

// ofBatch returns the bytes of rows [lo, hi) of a batch, of shared buffers the share of the rows.
func (s *sizes) ofBatch(columns []arrow.Array, lo, hi int) int64 {
	s.new, s.newValues = s.new[:0], 0
	total := int64(0)
	for _, a := range columns {
		total += s.of(a.DataType(), part{a.Data(), a.Data().Offset() + lo, hi - lo})
	}
	return total
}

// of returns the bytes of the rows of p.
func (s *sizes) of(typ arrow.DataType, p part) int64 {
	n := int64(p.rows)
	if n == 0 {
		return 0
	}
	total := int64(0)
	if len(p.data.Buffers()) > 0 && p.data.Buffers()[0] != nil {
		total = n/8 + 1
	}
	switch typ := typ.(type) {
	case *arrow.NullType:
		return 0
	case *arrow.BooleanType:
		return total + n/8 + 1
	case *arrow.StringType, *arrow.BinaryType:
		return total + textSize[int32](p)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return total + textSize[int64](p)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return total + viewSize(p)
	case *arrow.ListType, *arrow.MapType:
		return total + listSize[int32](s, typ, p)
	case *arrow.LargeListType:
		return total + listSize[int64](s, typ, p)
	case *arrow.ListViewType:
		return total + listViewSize[int32](s, typ, p)
	case *arrow.LargeListViewType:
		return total + listViewSize[int64](s, typ, p)
	case *arrow.DictionaryType:
		return total + n*int64(typ.IndexType.(arrow.FixedWidthDataType).Bytes()) + s.dictionary(typ, p.data.Dictionary())
	case *arrow.RunEndEncodedType:
		return s.runs(typ, p)
	case arrow.ExtensionType:
		return s.of(typ.StorageType(), p)
	case *arrow.FixedSizeListType:
		return total + s.of(typ.Elem(), childrenOf([]part{p}, 0, int(typ.Len()))[0])
	case *arrow.StructType:
		return total + s.children(typ, p, childrenOf)
	case *arrow.SparseUnionType:
		return n + s.children(typ, p, childrenOf)
	case *arrow.DenseUnionType:
		return 5*n + s.children(typ, p, shareOfChildren)
	case arrow.FixedWidthDataType:
		return total + n*int64(typ.Bytes())
	}
	return total
}

// children returns the bytes of the children that rows have.
func (s *sizes) children(typ arrow.NestedType, p part, of func(parts []part, i, each int) []part) int64 {
	total := int64(0)
	for i, field := range typ.Fields() {
		total += s.of(field.Type, of([]part{p}, i, 1)[0])
	}
	return total
}

// shareOfChildren returns as large a part of a child of dense unions as the rows are of all rows.
func shareOfChildren(parts []part, i, _ int) []part {
	whole := wholeChildren(parts, i)
	all := max(parts[0].data.Offset()+parts[0].data.Len(), 1)
	whole[0].rows = min(whole[0].rows, int(int64(whole[0].rows)*int64(parts[0].rows)/int64(all))+1)
	return whole
}

// dictionary returns the bytes of a dictionary that is new.
func (s *sizes) dictionary(typ *arrow.DictionaryType, data arrow.ArrayData) int64 {
	if s.seen[data] || slices.Contains(s.new, data) {
		return 0
	}
	s.new = append(s.new, data)
	s.newValues += int64(data.Len())
	return s.of(typ.ValueType, part{data, data.Offset(), data.Len()})
}

// runs returns the bytes of the runs of rows.
func (s *sizes) runs(typ *arrow.RunEndEncodedType, p part) int64 {
	run := runsOfParts(typ, []part{p})
	lo, hi := run(0), run(positionAt(0, p.rows-1))
	values := wholeChildren([]part{p}, 1)[0]
	values.at, values.rows = values.at+lo, hi-lo+1
	return int64(hi-lo+1)*int64(typ.RunEnds().(arrow.FixedWidthDataType).Bytes()) + s.of(typ.Encoded(), values)
}

func textSize[O int32 | int64](p part) int64 {
	ends := extentsOf[O]([]part{p})[0]
	return int64(len(ends))*8 + int64(ends[p.rows]-ends[0])
}

func viewSize(p part) int64 {
	total := int64(p.rows * arrow.ViewHeaderSizeBytes)
	valid := bitsOfParts([]part{p}, 0)[0]
	for i, v := range valuesOf[arrow.ViewHeader]([]part{p}, 1)[0] {
		if !v.IsInline() && (!valid.any() || !valid.null(i)) {
			total += int64(v.Len())
		}
	}
	return total
}

func listSize[O int32 | int64](s *sizes, typ arrow.DataType, p part) int64 {
	ends := extentsOf[O]([]part{p})[0]
	elements := wholeChildren([]part{p}, 0)[0]
	elements.at, elements.rows = elements.at+int(ends[0]), int(ends[p.rows]-ends[0])
	return int64(len(ends))*8 + s.of(elementOf(typ), elements)
}

// listViewSize counts the mean size of elements for each.
func listViewSize[O int32 | int64](s *sizes, typ arrow.DataType, p part) int64 {
	all := wholeChildren([]part{p}, 0)[0]
	n, valid := int64(0), bitsOfParts([]part{p}, 0)[0]
	for i, size := range valuesOf[O]([]part{p}, 2)[0] {
		if !valid.any() || !valid.null(i) {
			n += int64(size)
		}
	}
	return int64(p.rows)*16 + n*s.of(elementOf(typ), all)/int64(max(all.rows, 1))
}
