package parquetsort

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// chunk is an encoded column of a row group. Offsets count from its first byte.
type chunk struct {
	at      int64 // in the store
	size    int64
	meta    format.ColumnMetaData
	columns *format.ColumnIndex // nil if a page has no bounds
	offsets format.OffsetIndex
	filter  int64 // bytes of the bloom filter, which follow the pages
}

// chunkEncoder encodes chunks. Its memory is used for one after the other.
type chunkEncoder struct {
	gatherer
	c          *column
	rows       *chunkRows
	indices    []int32 // of the dictionary of the chunk, if it has one
	dictionary values  // of the chunk, in order
	distinct   int     // values of the dictionary
	nans       int     // of them, which are the first
	marks      []uint32
	levels     []byte
	body       []byte
	packed     []byte
	bits       []byte
	local      []uint32
	offsets    []uint32 // of the values of a page
	pageRows   int      // at most
	out        []byte
	chunk      *chunk
	pages      []bounds
	nulls      []int64
}

// Bounds of a page. Parquet's Java library has the same of rows.
const (
	pageRows  = 20_000
	pageBytes = 1 << 20
)

var (
	errLongChunk = errors.New("a column of a row group has more than 4 GiB: RowGroupRows makes it shorter")
	errLongPage  = errors.New("a row has too many bytes for a page")
)

// encode encodes a column of some rows of a partition and puts it into the store.
func (e *chunkEncoder) encode(m *mover, ordered []uint32, from, to int) (*chunk, error) {
	var err error
	if e.rows, err = e.take(m, from, to); err != nil {
		return nil, err
	}
	e.c, e.out, e.pages, e.nulls = m.c, e.out[:0], e.pages[:0], e.nulls[:0]
	if e.pageRows = pageRows; m.s.options.pageRows > 0 {
		e.pageRows = m.s.options.pageRows
	}
	e.chunk = &chunk{meta: format.ColumnMetaData{
		Type:         e.c.physical,
		PathInSchema: e.c.path,
		NumValues:    int64(e.rows.levels),
	}}
	if e.c.codec != nil {
		e.chunk.meta.Codec = e.c.codec.CompressionCodec()
	}
	if err := e.chooseDictionary(m, ordered); err != nil {
		return nil, err
	}
	if e.distinct > 0 {
		if err := e.dictionaryPage(); err != nil {
			return nil, err
		}
	}
	if err := e.dataPages(); err != nil {
		return nil, err
	}
	e.statistics()
	if err := e.bloomFilter(); err != nil {
		return nil, err
	}
	e.chunk.size = int64(len(e.out))
	e.chunk.at, err = m.s.store.put(e.out)
	return e.chunk, err
}

// chooseDictionary makes a dictionary of the chunk if that is smaller than its values.
func (e *chunkEncoder) chooseDictionary(m *mover, ordered []uint32) error {
	e.distinct, e.nans = 0, 0
	e.indices = e.indices[:0]
	e.dictionary.reset()
	switch {
	case m.numbers != nil && !e.c.dictionary:
		return e.lookUp(&m.numbers.to.kept)
	case m.numbers != nil:
		e.localDictionary(&m.numbers.to.kept, ordered, e.rows.numbers)
		if !e.smaller(&m.numbers.to.kept, e.rows.numbers) {
			return e.lookUp(&m.numbers.to.kept)
		}
	case e.c.dictionary && e.rows.count > 0:
		if d, numbers := e.findDictionary(); d != nil {
			if all := d.ordered(); e.smaller(&d.kept, numbers) {
				e.localDictionary(&d.kept, all, numbers)
			}
		}
	}
	return nil
}

// localDictionary makes the dictionary of the chunk of those values of another that have one of the numbers, in order,
// and the indices.
func (e *chunkEncoder) localDictionary(kept *values, ordered, numbers []uint32) {
	if len(e.marks) < len(ordered) {
		e.marks = make([]uint32, len(ordered))
	}
	const used = 1
	for _, n := range numbers {
		e.marks[n] = used
	}
	for _, n := range ordered {
		if e.marks[n] == used {
			x := kept.at(e.c, int(n))
			if e.c.isNaN(x) {
				e.nans++
			}
			e.dictionary.add(e.c, x)
			e.marks[n] = uint32(e.distinct)
			e.distinct++
		}
	}
	e.indices = slices.Grow(e.indices, len(numbers))
	for _, n := range numbers {
		e.indices = append(e.indices, int32(e.marks[n]))
	}
	for _, n := range numbers {
		e.marks[n] = 0
	}
}

// smaller reports whether values with a dictionary take fewer bytes than without one.
func (e *chunkEncoder) smaller(kept *values, numbers []uint32) bool {
	plain, own, distinct := 0, len(e.dictionary.data)+4*len(e.dictionary.offsets), e.distinct
	if distinct == 0 { // not made yet: of all kept values
		own, distinct = len(kept.data)+4*len(kept.offsets), e.keptCount(kept)
	}
	if plain = len(numbers) * e.c.width; e.c.width == 0 {
		for _, n := range numbers {
			plain += 4 + int(kept.offsets[n+1]-kept.offsets[n])
		}
	}
	return own+len(numbers)*bits.Len(uint(distinct))/8 < plain || int64(plain) > mostChunk
}

func (e *chunkEncoder) keptCount(kept *values) int {
	if e.c.width == 0 {
		return len(kept.offsets) - 1
	}
	return len(kept.data) / e.c.width
}

// lookUp replaces numbers by the values.
func (e *chunkEncoder) lookUp(kept *values) error {
	e.own.reset()
	for _, n := range e.rows.numbers {
		x := kept.at(e.c, int(n))
		if int64(len(e.own.data)+len(x)) > mostChunk {
			return errLongChunk
		}
		e.own.add(e.c, x)
	}
	e.rows.values, e.rows.numbers, e.distinct = e.own, nil, 0
	return nil
}

// dictionarySample is the number of first values of which more than half may not be distinct.
const dictionarySample = 1 << 12

// findDictionary returns a dictionary of the values and their numbers, nil if too many are distinct.
func (e *chunkEncoder) findDictionary() (*dictionary, []uint32) {
	d := newDictionary(e.c)
	numbers := slices.Grow(e.local[:0], e.rows.count)
	var last []byte
	for i := range e.rows.count {
		x := e.rows.values.at(e.c, i)
		if i > 0 && string(x) == string(last) {
			numbers = append(numbers, numbers[i-1])
			continue
		}
		last = x
		numbers = append(numbers, d.number(x))
		if i >= dictionarySample && d.n > i/2 {
			return nil, nil
		}
	}
	e.local = numbers
	return d, numbers
}

// dictionaryPage writes the dictionary.
func (e *chunkEncoder) dictionaryPage() (err error) {
	if e.body, err = e.plain(e.body[:0], e.dictionary.data, e.dictionary.offsets); err != nil {
		return err
	}
	header := format.PageHeader{
		Type: format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
			NumValues: int32(e.distinct),
			Encoding:  format.Plain,
			IsSorted:  e.c.ordered() && e.nans == 0,
		}),
	}
	e.countPage(format.DictionaryPage, format.Plain)
	_, err = e.page(&header)
	return err
}

func (e *chunkEncoder) plain(dst, data []byte, offsets []uint32) ([]byte, error) {
	return e.c.typ.Encode(dst, e.c.typ.NewValues(data, offsets), &parquet.Plain)
}
