package parquetsort

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// column is a leaf of the schema.
type column struct {
	index      int
	path       []string
	typ        parquet.Type
	physical   format.Type
	width      int  // bytes of a value, a byte for a bool; 0: they vary
	definition byte // levels
	repetition byte
	order      valueOrder
	compare    func(a, b []byte) int
	unknown    bool           // logical type
	codec      compress.Codec // nil: none
	encoding   encoding.Encoding
	dictionary bool // where a chunk is smaller with one
	filter     parquet.BloomFilterColumn
	bytes      int64 // in the sources, not compressed
	packed     int64 // as they are there
	chunks     []sourceChunk
}

// sourceChunk is a column of a row group of a source.
type sourceChunk struct {
	of    *source
	meta  *format.ColumnMetaData
	first int // row of all sources
	rows  int
}

func (c *column) String() string { return joined(c.path) }

// nested reports whether a row has any number of values.
func (c *column) nested() bool { return c.repetition > 0 }

// columnsOf returns the leaves of the schema that all sources have.
func columnsOf(sources []*source, o *fileOptions) ([]*column, error) {
	first := sources[0]
	var columns []*column
	var walk func(node *parquet.Column, path []string)
	walk = func(node *parquet.Column, path []string) {
		if node.Leaf() {
			columns = append(columns, &column{index: len(columns), path: path, typ: node.Type()})
			return
		}
		for _, child := range node.Columns() {
			walk(child, append(slices.Clip(path), child.Name()))
		}
	}
	walk(first.parquet.Root(), nil)
	definition, repetition := levelsOf(first.parquet.Metadata().Schema)
	if len(columns) != len(definition) || len(columns) != len(first.footer.unknown) || len(columns) == 0 {
		return nil, fmt.Errorf("%s: a schema of %d columns: %w", first.path, len(columns), errors.ErrUnsupported)
	}
	for i, c := range columns {
		c.definition, c.repetition, c.unknown = definition[i], repetition[i], first.footer.unknown[i]
	}
	addChunks(columns, sources)
	leaf := 0
	for _, e := range first.parquet.Metadata().Schema[1:] {
		if e.NumChildren.V == 0 {
			columns[leaf].describe(&e)
			leaf++
		}
	}
	return columns, chooseEncodings(columns, o)
}

// addChunks gives columns their chunks, in the order of the sources.
func addChunks(columns []*column, sources []*source) {
	row := 0
	for _, src := range sources {
		metas := src.parquet.Metadata().RowGroups
		for g := range metas {
			for i, c := range columns {
				meta := &metas[g].Columns[i].MetaData
				c.chunks = append(c.chunks, sourceChunk{src, meta, row, int(metas[g].NumRows)})
				c.bytes += meta.TotalUncompressedSize
				c.packed += meta.TotalCompressedSize
			}
			row += int(metas[g].NumRows)
		}
	}
}

// widthOf returns the bytes of a value of a physical type, a byte for a bool, 0 if they vary. Fixed ones have the length.
func widthOf(kind parquet.Kind, length int) int {
	switch kind {
	case parquet.Boolean:
		return 1
	case parquet.Int32, parquet.Float:
		return 4
	case parquet.Int64, parquet.Double:
		return 8
	case parquet.Int96:
		return 12
	case parquet.FixedLenByteArray:
		return length
	}
	return 0
}

// describe sets the type of values, their order and their width.
func (c *column) describe(e *format.SchemaElement) {
	c.physical = e.Type.V
	c.width = widthOf(parquet.Kind(c.physical), int(e.TypeLength.V))
	var converted *deprecated.ConvertedType
	if e.ConvertedType.Valid {
		converted = &e.ConvertedType.V
	}
	// Not of c.typ: package parquet v0.32.0 drops FLOAT16 when it reads a schema.
	if c.order = orderBy(parquet.Kind(e.Type.V), e.LogicalType.Value, converted); c.unknown {
		c.order = unordered
	}
	c.compare = comparisonOf(c)
}

// chooseEncodings sets codecs, encodings and filters as the sources have them, or the options say.
func chooseEncodings(columns []*column, o *fileOptions) error {
	for _, c := range columns {
		c.encoding, c.dictionary = c.ownEncoding()
		if len(c.chunks) > 0 {
			c.codec = parquet.LookupCompressionCodec(c.chunks[0].meta.Codec)
		}
		if o.codec != nil {
			c.codec = o.codec
		}
		if c.codec != nil && c.codec.CompressionCodec() == format.Uncompressed {
			c.codec = nil
		}
		for _, chunk := range c.chunks {
			if codec := chunk.meta.Codec; codec == format.LZO || codec == format.Lz4 || codec > format.Lz4Raw || codec < 0 {
				return fmt.Errorf("%s: column %s is compressed by %v: %w", chunk.of.path, c, codec, errors.ErrUnsupported)
			}
		}
	}
	for _, e := range o.encodings {
		c := find(columns, e.path)
		if c == nil {
			return fmt.Errorf("no column %s for an encoding", joined(e.path))
		}
		if err := c.encode(e.encoding); err != nil {
			return err
		}
	}
	for _, f := range o.filters {
		c := find(columns, f.Path())
		if c == nil || c.physical == format.Boolean {
			return fmt.Errorf("no column %s for a bloom filter", joined(f.Path()))
		}
		c.filter = f
	}
	return nil
}

// find returns a column, nil if there is none of the path.
func find(columns []*column, path []string) *column {
	i := slices.IndexFunc(columns, func(c *column) bool { return slices.Equal(c.path, path) })
	if i < 0 {
		return nil
	}
	return columns[i]
}

// ownEncoding returns the encoding of pages without a dictionary in the sources, and whether a dictionary may be tried.
func (c *column) ownEncoding() (own encoding.Encoding, dictionary bool) {
	own, dictionary = &parquet.Plain, c.physical != format.Boolean
	for _, chunk := range c.chunks {
		for _, e := range chunk.meta.Encoding {
			if hasIndices(e) {
				return own, c.physical != format.Boolean
			}
			switch e {
			case format.DeltaBinaryPacked, format.DeltaByteArray, format.DeltaLengthByteArray, format.ByteStreamSplit:
				if encodes(parquet.LookupEncoding(e), c.typ) {
					own, dictionary = parquet.LookupEncoding(e), false
				}
			}
		}
	}
	return own, dictionary
}

// plainDictionary is the encoding of indices of a dictionary in old files.
const plainDictionary = 2

// hasIndices reports whether an encoding is that of indices of a dictionary.
func hasIndices(e format.Encoding) bool { return e == format.RLEDictionary || e == plainDictionary }

// encode sets the encoding that an option says.
func (c *column) encode(e encoding.Encoding) error {
	switch e := e.Encoding(); {
	case hasIndices(e):
		if c.physical == format.Boolean {
			return fmt.Errorf("column %s of booleans has no dictionary", c)
		}
		c.encoding, c.dictionary = &parquet.Plain, true
		return nil
	case e == format.BitPacked:
		return fmt.Errorf("encoding %v is none of values", e)
	}
	if !encodes(e, c.typ) {
		return fmt.Errorf("column %s of type %v does not have the encoding %v", c, c.typ, e)
	}
	c.encoding, c.dictionary = e, false
	return nil
}

// encodes reports whether an encoding has values of a type. Package parquet panics if it has not.
func encodes(e encoding.Encoding, t parquet.Type) (ok bool) {
	defer func() { ok = recover() == nil }()
	parquet.Encoded(parquet.Leaf(t), e)
	return true
}
