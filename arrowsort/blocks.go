package arrowsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A block of a run is a number of rows by column: a head of varints, and the buffers of the columns
// as Arrow has them, each from a multiple of bufferAlign on. The head has its own length in 4 bytes,
// the number of rows, and for each array of the tree of columns: its length, its nulls, its buffers,
// the length of each plus one or 0 for none, then its children and its dictionary, if its type has
// these. Types are not stored: the schema has them. Arrow's IPC format has the same buffers; it has
// extension types by their registered names and dictionaries apart from batches, which a run has not.

const (
	bufferAlign = 64
	mostRows    = min(1<<40, math.MaxInt) // of a block
	mostBuffers = 1 << 16                 // of an array: views have one for each 2 GiB of text
)

// errBlock is that of bytes that are no block.
var errBlock = errors.New("arrowsort: bytes of a run that are no block")

// layout of a block: its head, and the buffers that follow.
type blockImage struct {
	head    []byte
	buffers []*memory.Buffer
	bytes   int // of all, aligned
}

// imageOf returns the image of columns of rows, which begin at offset 0.
func imageOf(columns []arrow.ArrayData, rows int) *blockImage {
	m := &blockImage{head: make([]byte, 4, 256)}
	m.head = binary.AppendUvarint(m.head, uint64(rows))
	for _, data := range columns {
		m.add(data)
	}
	binary.LittleEndian.PutUint32(m.head, uint32(len(m.head)))
	m.bytes = alignUp(len(m.head))
	for _, b := range m.buffers {
		m.bytes += alignUp(b.Len())
	}
	return m
}

func alignUp(n int) int { return (n + bufferAlign - 1) &^ (bufferAlign - 1) }

// add appends an array and those that it has.
func (m *blockImage) add(data arrow.ArrayData) {
	for _, n := range []int{data.Len(), data.NullN(), len(data.Buffers())} {
		m.head = binary.AppendUvarint(m.head, uint64(n))
	}
	for _, b := range data.Buffers() {
		if b == nil {
			m.head = append(m.head, 0)
			continue
		}
		m.head = binary.AppendUvarint(m.head, uint64(b.Len())+1)
		m.buffers = append(m.buffers, b)
	}
	for _, child := range data.Children() {
		m.add(child)
	}
	if dictionaryOf(data.DataType()) != nil {
		m.add(data.Dictionary())
	}
}

// dictionaryOf returns the type of dictionaries that a type has, or nil.
func dictionaryOf(typ arrow.DataType) *arrow.DictionaryType {
	if extension, ok := typ.(arrow.ExtensionType); ok {
		typ = extension.StorageType()
	}
	dictionary, _ := typ.(*arrow.DictionaryType)
	return dictionary
}

// childTypes returns the types of the children of an array of a type.
func childTypes(typ arrow.DataType) []arrow.DataType {
	if extension, ok := typ.(arrow.ExtensionType); ok {
		typ = extension.StorageType()
	}
	switch typ := typ.(type) {
	case *arrow.RunEndEncodedType:
		return []arrow.DataType{typ.RunEnds(), typ.Encoded()}
	case arrow.NestedType:
		var types []arrow.DataType
		for _, field := range typ.Fields() {
			types = append(types, field.Type)
		}
		return types
	}
	return nil
}

// writeTo calls put with the bytes of the image one after the other.
func (m *blockImage) writeTo(put func(p []byte) error) error {
	var zeros [bufferAlign]byte
	write := func(p []byte) error {
		if err := put(p); err != nil {
			return err
		}
		return put(zeros[:alignUp(len(p))-len(p)])
	}
	if err := write(m.head); err != nil {
		return err
	}
	for _, b := range m.buffers {
		if err := write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// blockReader reads the head of a block. Its buffers are slices of all.
type blockReader struct {
	head []byte
	all  *memory.Buffer
	at   int // of the next buffer
	err  error
}

// batchIn returns the rows of a block, which retain its buffer.
func batchIn(schema *arrow.Schema, all *memory.Buffer) (batch arrow.RecordBatch, err error) {
	defer func() {
		if refused := recover(); refused != nil { // by arrow-go: offsets beyond their text, and the like
			batch, err = nil, fmt.Errorf("%w: %v", errBlock, refused)
		}
	}()
	bytes := all.Bytes()
	if len(bytes) < 4 {
		return nil, errBlock
	}
	head := int64(binary.LittleEndian.Uint32(bytes))
	if head < 4 || head > int64(len(bytes)) {
		return nil, errBlock
	}
	r := blockReader{head: bytes[4:head], all: all, at: alignUp(int(head))}
	rows := r.number(mostRows)
	columns := make([]arrow.Array, schema.NumFields())
	for i := range columns {
		data := r.array(schema.Field(i).Type)
		if data == nil {
			release(columns[:i])
			return nil, fmt.Errorf("%w: column %d", errBlock, i)
		}
		if data.Len() != rows {
			data.Release()
			release(columns[:i])
			return nil, fmt.Errorf("%w: %d rows of %d in column %d", errBlock, data.Len(), rows, i)
		}
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	defer release(columns)
	if len(r.head) > 0 {
		return nil, errBlock
	}
	return array.NewRecordBatch(schema, columns, int64(rows)), nil
}

// number returns the next number of the head, which is at most some.
func (r *blockReader) number(most int) int {
	n, bytes := binary.Uvarint(r.head)
	if bytes <= 0 || n > uint64(most) {
		r.err = errBlock
		return 0
	}
	r.head = r.head[bytes:]
	return int(n)
}

// array returns the next array, or nil if there is none of the type.
func (r *blockReader) array(typ arrow.DataType) *array.Data {
	rows := r.number(mostRows)
	nulls, n := r.number(rows), r.number(mostBuffers)
	buffers := r.buffers(n)
	defer func() {
		for _, b := range buffers {
			if b != nil {
				b.Release()
			}
		}
	}()
	if r.err != nil || !enough(typ, rows, buffers) {
		r.err = errBlock
		return nil
	}
	var children []arrow.ArrayData
	defer func() {
		for _, child := range children {
			child.Release()
		}
	}()
	for _, of := range childTypes(typ) {
		child := r.array(of)
		if child == nil {
			return nil
		}
		children = append(children, child)
	}
	if of := dictionaryOf(typ); of != nil {
		values := r.array(of.ValueType)
		if values == nil {
			return nil
		}
		defer values.Release()
		return array.NewDataWithDictionary(typ, rows, buffers, nulls, 0, values)
	}
	return array.NewData(typ, rows, buffers, children, nulls, 0)
}

// buffers returns the next n buffers.
func (r *blockReader) buffers(n int) []*memory.Buffer {
	var all []*memory.Buffer
	for range n {
		length := r.number(r.all.Len()+1) - 1
		if length < 0 {
			all = append(all, nil)
			continue
		}
		if r.err != nil || length > r.all.Len()-r.at {
			r.err = errBlock
			return all
		}
		all = append(all, memory.SliceBuffer(r.all, r.at, length))
		r.at = min(r.at+alignUp(length), r.all.Len())
	}
	return all
}

// enough reports whether there are as many buffers as the type has, and none is shorter than rows of
// it are.
func enough(typ arrow.DataType, rows int, buffers []*memory.Buffer) bool {
	specs := typ.Layout().Buffers
	if _, union := typ.(arrow.UnionType); union { // arrow-go leaves out the bitmap that no union has
		specs = append([]arrow.BufferSpec{arrow.SpecAlwaysNull()}, specs...)
	}
	if typ.ID() == arrow.RUN_END_ENCODED && len(buffers) == 0 { // as arrow-go's builder has it
		return true
	}
	if len(buffers) < len(specs) || len(buffers) > len(specs) && typ.Layout().VariadicSpec == nil {
		return false
	}
	for i, spec := range specs {
		least := int64(0)
		switch spec.Kind {
		case arrow.KindBitmap:
			least = int64(rows+7) / 8
		case arrow.KindFixedWidth:
			least = int64(rows) * int64(spec.ByteWidth)
		}
		if b := buffers[i]; b != nil && int64(b.Len()) < least {
			return false
		}
	}
	return true
}
