package parquetsort

import (
	"slices"

	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/bloom/xxhash"
	"github.com/parquet-go/parquet-go/format"
)

// statistics sets those of the chunk and its pages.
func (e *chunkEncoder) statistics() {
	meta := &e.chunk.meta
	meta.TotalCompressedSize = int64(len(e.out))
	meta.Statistics.NullCount = int64(e.rows.levels - e.rows.count)
	all := bounds{}
	indexed := e.c.ordered()
	for i, b := range e.pages {
		all.add(e.c, b)
		hasValues := e.nulls[i] < e.pageLevels(i)
		indexed = indexed && (b.ok && len(b.low) <= mostBound && len(b.high) <= mostBound || !hasValues)
	}
	if all.ok && len(all.low) <= mostBound {
		meta.Statistics.MinValue = e.c.stated(all.low, true)
	}
	if all.ok && len(all.high) <= mostBound {
		meta.Statistics.MaxValue = e.c.stated(all.high, false)
	}
	if indexed {
		e.chunk.columns = e.columnIndex()
	}
}

// pageLevels returns the levels of a page of the chunk.
func (e *chunkEncoder) pageLevels(i int) int64 {
	rows := func(i int) int {
		if i == len(e.pages) {
			return e.rows.rows
		}
		return int(e.chunk.offsets.PageLocations[i].FirstRowIndex)
	}
	if !e.c.nested() {
		return int64(rows(i+1) - rows(i))
	}
	return int64(e.rows.begins[rows(i+1)] - e.rows.begins[rows(i)])
}

func (e *chunkEncoder) columnIndex() *format.ColumnIndex {
	index := &format.ColumnIndex{NullCounts: slices.Clone(e.nulls), BoundaryOrder: e.boundaryOrder()}
	for _, b := range e.pages {
		low, high := []byte{}, []byte{}
		if b.ok {
			low, high = e.c.stated(b.low, true), e.c.stated(b.high, false)
		}
		index.NullPages = append(index.NullPages, !b.ok)
		index.MinValues, index.MaxValues = append(index.MinValues, low), append(index.MaxValues, high)
	}
	return index
}

// boundaryOrder returns the order of the bounds of pages.
func (e *chunkEncoder) boundaryOrder() format.BoundaryOrder {
	ascending, descending := true, true
	var last *bounds
	for i := range e.pages {
		b := &e.pages[i]
		if !b.ok {
			continue
		}
		if last != nil {
			low, high := e.c.compare(last.low, b.low), e.c.compare(last.high, b.high)
			ascending, descending = ascending && low <= 0 && high <= 0, descending && low >= 0 && high >= 0
		}
		last = b
	}
	switch {
	case ascending:
		return format.Ascending
	case descending:
		return format.Descending
	}
	return format.Unordered
}

// bloomFilter writes the filter after the pages.
func (e *chunkEncoder) bloomFilter() error {
	if e.c.filter == nil {
		return nil
	}
	v, n := &e.rows.values, e.rows.count
	if e.distinct > 0 {
		v, n = &e.dictionary, e.distinct
	}
	filter := bloom.MakeSplitBlockFilter(make([]byte, e.c.filter.Size(int64(n))))
	var raw []byte
	for i := range n {
		raw = append(raw[:0], v.at(e.c, i)...)
		filter.Insert(xxhash.Sum64(e.c.littleEndian(raw)))
	}
	head, err := marshal(&format.BloomFilterHeader{
		NumBytes:    int32(len(filter.Bytes())),
		Algorithm:   format.BloomFilterAlgorithm{Value: &format.SplitBlockAlgorithm{}},
		Hash:        format.BloomFilterHash{Value: &format.XxHash{}},
		Compression: format.BloomFilterCompression{Value: &format.BloomFilterUncompressed{}},
	})
	if err != nil {
		return err
	}
	e.chunk.filter = int64(len(head) + len(filter.Bytes()))
	e.out = append(append(e.out, head...), filter.Bytes()...)
	return nil
}

// littleEndian returns a value as PLAIN has it, without a length. It uses the memory of v.
func (c *column) littleEndian(v []byte) []byte {
	switch c.physical {
	case format.Int32, format.Float:
		n := u32(v)
		return append(v[:0], byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	case format.Int64, format.Double:
		n := u64(v)
		for i := range v {
			v[i] = byte(n >> (8 * i))
		}
	}
	return v
}
