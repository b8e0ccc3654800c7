package arrowsort

import (
	"math"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// union returns data of unions, which have no nulls of their own.
func (c *call) union(typ arrow.DataType, rows []position, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	return owned(c, array.NewData(typ, len(rows), append([]*memory.Buffer{nil}, buffers...), children, 0, 0))
}

// pickDictionary returns rows of dictionaries. They share the dictionary if there is one and c.shares;
// otherwise theirs has the values that they have, each once where the type of values has bytes.
func (c *call) pickDictionary(typ *arrow.DictionaryType, parts []part, rows []position) (*array.Data, error) {
	width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
	dictionaries := dictionariesOf(parts)
	if c.shares && len(dictionaries.parts) == 1 {
		indices := c.made(typ.IndexType, parts, rows, nil, c.pickFixed(parts, 1, width, rows))
		return c.withDictionary(typ, indices, dictionaries.parts[0].data.(*array.Data)), nil
	}
	numbers, used := c.usedValues(width, dictionaries, parts, rows)
	values, err := c.pick(typ.ValueType, dictionaries.parts, used)
	if err != nil {
		return nil, err
	}
	if len(dictionaries.parts) > 1 {
		if values, err = c.eachOnce(typ.ValueType, values, numbers); err != nil {
			return nil, err
		}
	}
	if bits := 8 * width; bits < 63 {
		if arrow.IsSignedInteger(typ.IndexType.ID()) {
			bits--
		}
		if int64(values.Len()) > 1<<bits {
			return nil, errTooLong
		}
	}
	buffer := c.newBuffer(width * len(rows))
	writeIndices(buffer.Bytes(), width, numbers)
	return c.withDictionary(typ, c.made(typ.IndexType, parts, rows, nil, buffer), values), nil
}

// withDictionary returns indices as data of a dictionary.
func (c *call) withDictionary(typ *arrow.DictionaryType, indices *array.Data, values *array.Data) *array.Data {
	return owned(c, array.NewDataWithDictionary(typ, indices.Len(), indices.Buffers(), indices.NullN(), 0, values))
}

// dictionaries are the dictionaries of parts, each once.
type dictionaries struct {
	parts []part
	of    []int // by part
	begin []int // by dictionary: the number of its first value
	total int
}

func dictionariesOf(parts []part) dictionaries {
	var d dictionaries
	seen := map[arrow.ArrayData]int{}
	for _, p := range parts {
		data := p.data.Dictionary()
		i, ok := seen[data]
		if !ok {
			i = len(d.parts)
			seen[data] = i
			d.parts = append(d.parts, part{data, data.Offset(), data.Len()})
			d.begin = append(d.begin, d.total)
			d.total += data.Len()
		}
		d.of = append(d.of, i)
	}
	return d
}

// usedValues numbers the values that rows have in order of their first rows. It returns the number
// of each row's, 0 for null, and where the values are.
func (c *call) usedValues(width int, d dictionaries, parts []part, rows []position) (numbers []uint32, used []position) {
	index, valid := indicesOf(width, parts), bitsOfParts(parts, 0)
	number := c.numberer(d.total, len(rows))
	numbers = scratch[uint32](c, len(rows))
	for i, p := range rows {
		numbers[i] = 0
		if isNull(valid, p) {
			continue
		}
		at, of := index(p), d.of[p.chunk()]
		n := number(d.begin[of]+at, uint32(len(used)))
		if numbers[i] = n; int(n) == len(used) {
			used = append(used, positionAt(of, at))
		}
	}
	return numbers, used
}

// numberer returns a function that returns the number given first with a value: from a table, or of
// many more values than rows from a map.
func (c *call) numberer(values, rows int) func(value int, next uint32) uint32 {
	if values > 8*rows+1024 {
		known := map[int]uint32{}
		return func(value int, next uint32) uint32 {
			n, ok := known[value]
			if !ok {
				n, known[value] = next, next
			}
			return n
		}
	}
	known := scratch[uint32](c, values)
	for i := range known {
		known[i] = math.MaxUint32
	}
	return func(value int, next uint32) uint32 {
		if known[value] == math.MaxUint32 {
			known[value] = next
		}
		return known[value]
	}
}

// indicesOf returns the function from a row to its index.
func indicesOf(width int, parts []part) func(p position) int {
	switch width {
	case 1:
		return indexIn(valuesOf[uint8](parts, 1))
	case 2:
		return indexIn(valuesOf[uint16](parts, 1))
	case 4:
		return indexIn(valuesOf[uint32](parts, 1))
	}
	return indexIn(valuesOf[uint64](parts, 1))
}

func indexIn[I uint8 | uint16 | uint32 | uint64](from [][]I) func(p position) int {
	return func(p position) int { return int(from[p.chunk()][p.row()]) }
}

// writeIndices writes numbers as indices of some bytes.
func writeIndices(dst []byte, width int, numbers []uint32) {
	switch width {
	case 1:
		writeIndicesAs[uint8](dst, numbers)
	case 2:
		writeIndicesAs[uint16](dst, numbers)
	case 4:
		writeIndicesAs[uint32](dst, numbers)
	case 8:
		writeIndicesAs[uint64](dst, numbers)
	}
}

func writeIndicesAs[I uint8 | uint16 | uint32 | uint64](dst []byte, numbers []uint32) {
	for i, to := 0, castTo[I](dst, len(numbers)); i < len(numbers); i++ {
		to[i] = I(numbers[i])
	}
}

// eachOnce returns the values without those whose bytes an earlier one has, and changes numbers to
// theirs. Values of nested types stay as they are.
func (c *call) eachOnce(typ arrow.DataType, values *array.Data, numbers []uint32) (*array.Data, error) {
	bytes := bytesOf(typ, values)
	if bytes == nil || values.Len() == 0 {
		return values, nil
	}
	all := []part{{values, 0, values.Len()}}
	valid := bitsOfParts(all, 0)
	texts, null := newNumbering(values.Len()+1), -1
	var first []uint32 // by the number of a text: of the value that has it
	var once []position
	as := scratch[uint32](c, values.Len())
	for i := range as {
		as[i] = uint32(len(once))
		if isNull(valid, positionAt(0, i)) {
			if null < 0 {
				null = len(once)
			}
			as[i] = uint32(null)
		} else if n := texts.number(bytes(i)); int(n) < len(first) {
			as[i] = first[n]
		} else {
			first = append(first, as[i])
		}
		if int(as[i]) == len(once) {
			once = append(once, positionAt(0, i))
		}
	}
	for i, n := range numbers {
		numbers[i] = as[n]
	}
	return c.pick(typ, all, once)
}

// bytesOf returns the function from a value to its bytes, or nil for a type that has none.
func bytesOf(typ arrow.DataType, values *array.Data) func(i int) string {
	p := part{values, 0, values.Len()}
	switch typ := typ.(type) {
	case arrow.ExtensionType:
		return bytesOf(typ.StorageType(), values)
	case *arrow.StringType, *arrow.BinaryType:
		return bytesIn(extentsOf[int32]([]part{p})[0], values)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return bytesIn(extentsOf[int64]([]part{p})[0], values)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		views := valuesOf[arrow.ViewHeader]([]part{p}, 1)[0]
		return func(i int) string {
			if v := &views[i]; !v.IsInline() {
				return stringOf(values.Buffers()[2+v.BufferIndex()].Bytes()[v.BufferOffset():][:v.Len()])
			}
			return stringOf(views[i].InlineBytes())
		}
	case *arrow.BooleanType, *arrow.DictionaryType:
		return nil
	case arrow.FixedWidthDataType:
		width := typ.Bytes()
		octets := p.octets(1, width, p.rows)
		return func(i int) string { return stringOf(octets[i*width : (i+1)*width]) }
	}
	return nil
}

func bytesIn[O int32 | int64](ends []O, values *array.Data) func(i int) string {
	text := textBytes([]part{{values, 0, values.Len()}})[0]
	return func(i int) string { return stringOf(text[ends[i]:ends[i+1]]) }
}

// pickRuns returns rows of run-end encoded columns: rows of one run that follow each other are a run.
func (c *call) pickRuns(typ *arrow.RunEndEncodedType, parts []part, rows []position) (*array.Data, error) {
	if bits := typ.RunEnds().(arrow.FixedWidthDataType).BitWidth(); uint64(len(rows)) >= 1<<(bits-1) {
		return nil, errTooLong
	}
	run := runsOfParts(typ, parts)
	var ends []uint32
	var values []position
	for i, p := range rows {
		at := positionAt(p.chunk(), run(p))
		if i == 0 || values[len(values)-1] != at {
			ends, values = append(ends, 0), append(values, at)
		}
		ends[len(ends)-1] = uint32(i + 1)
	}
	runEnds := owned(c, endsArray(c, typ.RunEnds(), ends))
	of, err := c.pick(typ.Encoded(), wholeChildren(parts, 1), values)
	if err != nil {
		return nil, err
	}
	children := []arrow.ArrayData{runEnds.Data(), of}
	return owned(c, array.NewData(typ, len(rows), []*memory.Buffer{nil}, children, 0, 0)), nil
}

// runsOfParts returns the function from a row to the number of its run.
func runsOfParts(typ *arrow.RunEndEncodedType, parts []part) func(p position) int {
	ends := wholeChildren(parts, 0)
	switch typ.RunEnds().(arrow.FixedWidthDataType).Bytes() {
	case 2:
		return runIn(parts, valuesOf[int16](ends, 1))
	case 4:
		return runIn(parts, valuesOf[int32](ends, 1))
	}
	return runIn(parts, valuesOf[int64](ends, 1))
}

func runIn[O int16 | int32 | int64](parts []part, ends [][]O) func(p position) int {
	return func(p position) int {
		of, row := ends[p.chunk()], O(parts[p.chunk()].at+p.row())
		return sort.Search(len(of), func(i int) bool { return of[i] > row })
	}
}
