package parquetsort

import (
	"math"
	"slices"

	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// keyColumn is a sorting column that is read into memory.
type keyColumn struct {
	leaf
	column *column
	rows   int
	room   int64 // bytes that it may take
	held   int64 // bytes that it takes
}

// load returns the column that sorts by the keys. It is an errNoRoom if they take too much memory.
func (k *keyColumn) load(s *fileSort) (sorter.Column[int], error) {
	if k.column.hasDictionaries() && !k.column.nested() {
		c, err := k.loadRanks(s)
		if _, many := err.(errManyValues); !many {
			return c, err
		}
	}
	if k.column.nested() || k.order == decimal || k.order == half || k.column.physical == format.Int96 {
		return k.loadEncoded(s)
	}
	switch k.column.physical {
	case format.ByteArray:
		return k.loadBytes(s)
	case format.FixedLenByteArray:
		return k.loadFixed(s)
	case format.Boolean:
		return loadNumbers(s, k, func(b []byte) bool { return b[0] != 0 })
	case format.Float:
		return k.withNaNs(loadNumbers(s, k, f32))
	case format.Double:
		return k.withNaNs(loadNumbers(s, k, f64))
	case format.Int32:
		if k.order == unsigned {
			return loadNumbers(s, k, u32)
		}
		return loadNumbers(s, k, func(b []byte) int32 { return int32(u32(b)) })
	}
	if k.order == unsigned {
		return loadNumbers(s, k, u64)
	}
	return loadNumbers(s, k, func(b []byte) int64 { return int64(u64(b)) })
}

// withNaNs places the NaNs of a column of floats. The default of package sorter is theirs if they are less than others.
func (k *keyColumn) withNaNs(c sorter.Column[int], err error) (sorter.Column[int], error) {
	switch {
	case err != nil || !k.nansAfter:
		return c, err
	case k.desc:
		return c.NaNsFirst(), err
	}
	return c.NaNsLast(), err
}

// take counts memory.
func (k *keyColumn) take(bytes int) error {
	if k.held += int64(bytes); k.held > k.room {
		return errNoRoom{}
	}
	return nil
}

// hasDictionaries reports whether all pages may have a dictionary, as far as the metadata says.
func (c *column) hasDictionaries() bool {
	for i := range c.chunks {
		meta := c.chunks[i].meta
		listed := false
		for _, e := range meta.Encoding {
			listed = listed || hasIndices(e)
		}
		for _, e := range meta.EncodingStats {
			isData := e.PageType == format.DataPage || e.PageType == format.DataPageV2
			if isData && e.Count > 0 && !hasIndices(e.Encoding) {
				return false
			}
		}
		if !listed && meta.NumValues > 0 {
			return false
		}
	}
	return true
}

// loadRanks returns ranks of the values among the distinct ones, as numbers of which nulls are the first or the last.
func (k *keyColumn) loadRanks(s *fileSort) (sorter.Column[int], error) {
	if err := k.take(4 * k.rows); err != nil {
		return sorter.Column[int]{}, err
	}
	codes := make([]uint32, 0, k.rows)
	t := translation{to: newDictionary(k.column)}
	err := k.column.eachPage(s.ctx, func(p *page) error {
		if p.dictionary == nil {
			return errManyValues{}
		}
		numbers, err := t.numbers(p, s.options.dictionaryValues(k.rows), int(k.room/4))
		if err != nil {
			return err
		}
		i := 0
		for row := range p.levels {
			if p.isNull(k.column, row) {
				codes = append(codes, math.MaxUint32)
				continue
			}
			codes = append(codes, numbers[p.ids[i]])
			i++
		}
		return nil
	})
	if err != nil {
		k.held -= int64(4 * k.rows)
		return sorter.Column[int]{}, err
	}
	ranks := k.ranks(t.to)
	null := uint32(math.MaxUint32)
	if k.nullsFirst {
		null = 0
	}
	for i, id := range codes {
		if codes[i] = null; id != math.MaxUint32 {
			codes[i] = ranks[id]
		}
	}
	return sorter.AscOf(codes), nil
}

// ranks returns the ranks of values from 1 on, in the direction of the column. Values that tie have one.
func (k *keyColumn) ranks(d *dictionary) []uint32 {
	ordered := d.ordered()
	if k.nansAfter {
		isNaN := func(id uint32) bool { return k.column.isNaN(d.kept.at(k.column, int(id))) }
		slices.SortStableFunc(ordered, func(a, b uint32) int { return ordinal(isNaN(a)) - ordinal(isNaN(b)) })
	}
	ranks := make([]uint32, d.n)
	rank := uint32(0)
	for i, id := range ordered {
		if i == 0 || k.column.compare(d.kept.at(k.column, int(ordered[i-1])), d.kept.at(k.column, int(id))) != 0 {
			rank++
		}
		ranks[id] = rank
	}
	if k.desc {
		for id := range ranks {
			ranks[id] = rank + 1 - ranks[id]
		}
	}
	return ranks
}

func ordinal(is bool) int {
	if is {
		return 1
	}
	return 0
}

// validity is one bit for each row that is not null.
type validity struct {
	bits []byte
	rows int
}

func (v *validity) add(valid bool) {
	if v.rows%8 == 0 {
		v.bits = append(v.bits, 0)
	}
	if valid {
		v.bits[v.rows/8] |= 1 << (v.rows % 8)
	}
	v.rows++
}

// eachValue calls each with the values of a column that is not nested, nil for a null.
func (k *keyColumn) eachValue(s *fileSort, each func(v []byte) error) error {
	return k.column.eachPage(s.ctx, func(p *page) error {
		i := 0
		for row := range p.levels {
			var v []byte
			if !p.isNull(k.column, row) {
				if v = p.value(k.column, i); v == nil {
					v = []byte{}
				}
				i++
			}
			if err := each(v); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadNumbers returns the column of values of one of the types that have a width.
func loadNumbers[K sorter.Key](s *fileSort, k *keyColumn, number func([]byte) K) (sorter.Column[int], error) {
	if err := k.take(k.rows*k.column.width + k.rows/8); err != nil {
		return sorter.Column[int]{}, err
	}
	keys := make([]K, 0, k.rows)
	var valid validity
	err := k.column.eachPage(s.ctx, func(p *page) error {
		data, i := p.values.data, 0
		if p.dictionary != nil {
			data = p.dictionary.data
		}
		for row := range p.levels {
			var key K
			isNull := p.isNull(k.column, row)
			if !isNull {
				at := i
				if p.dictionary != nil {
					at = int(p.ids[i])
				}
				key = number(data[at*k.column.width:])
				i++
			}
			keys = append(keys, key)
			if k.column.definition > 0 {
				valid.add(!isNull)
			}
		}
		return nil
	})
	column := sorter.AscOf(keys)
	if k.desc {
		column = sorter.DescOf(keys)
	}
	return k.withNulls(column, &valid), err
}

// withNulls puts the rows that are not valid where the sorting column has them.
func (k *keyColumn) withNulls(c sorter.Column[int], valid *validity) sorter.Column[int] {
	switch {
	case k.column.definition == 0:
		return c
	case k.nullsFirst:
		return c.NullsFirstBits(valid.bits, 0)
	}
	return c.NullsLastBits(valid.bits, 0)
}

// loadBytes returns the column of byte arrays that compare bytewise.
func (k *keyColumn) loadBytes(s *fileSort) (sorter.Column[int], error) {
	if err := k.take(8*k.rows + k.rows/8); err != nil {
		return sorter.Column[int]{}, err
	}
	data, offsets, valid := []byte(nil), make([]int64, 1, k.rows+1), validity{}
	err := k.eachValue(s, func(v []byte) error {
		grown := cap(data)
		data = append(data, v...)
		offsets = append(offsets, int64(len(data)))
		valid.add(v != nil)
		return k.take(cap(data) - grown)
	})
	return k.withNulls(k.directed(sorter.Arena(data, offsets)), &valid), err
}

// loadFixed returns the column of byte arrays of one length that compare bytewise.
func (k *keyColumn) loadFixed(s *fileSort) (sorter.Column[int], error) {
	width := k.column.width
	if err := k.take(k.rows*width + k.rows/8); err != nil {
		return sorter.Column[int]{}, err
	}
	data, none, valid := make([]byte, 0, k.rows*width), make([]byte, width), validity{}
	err := k.eachValue(s, func(v []byte) error {
		if valid.add(v != nil); v == nil {
			v = none
		}
		data = append(data, v...)
		return nil
	})
	if err != nil {
		return sorter.Column[int]{}, err
	}
	return k.withNulls(k.directed(sorter.FixedBinary(data, width)), &valid), nil
}

// loadEncoded returns the column of keys that are encoded so that their bytes compare as rows do.
func (k *keyColumn) loadEncoded(s *fileSort) (sorter.Column[int], error) {
	if err := k.take(8 * k.rows); err != nil {
		return sorter.Column[int]{}, err
	}
	data, offsets := []byte(nil), make([]int64, 0, k.rows+1)
	err := k.eachEncoded(s, func(from int, element func([]byte) []byte) error {
		grown := cap(data)
		if from == 0 {
			if len(offsets) > 0 {
				data = append(data, endOfList)
			}
			offsets = append(offsets, int64(len(data)))
		}
		data = element(data)
		return k.take(cap(data) - grown)
	})
	if len(offsets) > 0 {
		data = append(data, endOfList)
	}
	offsets = append(offsets, int64(len(data)))
	return sorter.Arena(data, offsets).Asc(), err
}

// eachEncoded calls each with the repetition level of each value or null of the column, and a function that appends its
// key.
func (k *keyColumn) eachEncoded(s *fileSort, each func(repetition int, element func([]byte) []byte) error) error {
	var v parquet.Value
	kind := k.Node.Type().Kind()
	element := func(dst []byte) []byte { return k.appendElement(dst, v) }
	return k.column.eachPage(s.ctx, func(p *page) error {
		i := 0
		for level := range p.levels {
			v = parquet.Value{}
			if !p.isNull(k.column, level) {
				v = kind.Value(p.value(k.column, i))
				i++
			}
			repetition := 0
			if k.column.nested() {
				repetition = int(p.repetitions[level])
			}
			if err := each(repetition, element); err != nil {
				return err
			}
		}
		return nil
	})
}
