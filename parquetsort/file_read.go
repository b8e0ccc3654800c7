package parquetsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// pageReader reads the pages of a column chunk. Levels and values are decoded by the encodings of package parquet. Its
// own reader of pages is not used: v0.32.0 hands out the memory of another page where a codec returns a longer buffer than
// it was given, which LZ4_RAW does for most pages.
type pageReader struct {
	c          *column
	chunk      *sourceChunk
	in         *bufio.Reader
	decoder    *thrift.Decoder
	codec      compress.Codec
	dictionary *values
	distinct   int // values of the dictionary

	header                   format.PageHeader
	stored, raw              []byte
	definitions, repetitions []byte
	levels                   []byte
	bools                    []byte
	numbers32                []int32
	numbers64                []int64
	numbers96                []deprecated.Int96
	floats                   []float32
	doubles                  []float64
	arrays                   []byte
	offsets                  []uint32
}

// begin begins with the first page of a chunk.
func (r *pageReader) begin(chunk *sourceChunk) {
	r.chunk, r.dictionary = chunk, nil
	at := chunk.meta.DataPageOffset
	if d := chunk.meta.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	section := io.NewSectionReader(chunk.of.file, at, chunk.meta.TotalCompressedSize)
	if r.in == nil {
		r.in = bufio.NewReaderSize(section, readBuffer)
	} else {
		r.in.Reset(section)
	}
	r.decoder = thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r.in))
	r.codec = parquet.LookupCompressionCodec(chunk.meta.Codec)
}

// next reads a data page. Its memory is used again for the next.
func (r *pageReader) next(p *page) error {
	for {
		r.header = format.PageHeader{}
		if err := r.decoder.Decode(&r.header); err != nil {
			return unexpected(err)
		}
		if err := r.readStored(); err != nil {
			return err
		}
		switch r.header.Type {
		case format.DictionaryPage:
			if err := r.readDictionary(); err != nil {
				return fmt.Errorf("dictionary: %w", err)
			}
		case format.DataPage:
			return r.readV1(p)
		case format.DataPageV2:
			return r.readV2(p)
		}
	}
}

// unexpected returns the error of a chunk that ends before its pages.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// slack is how many zeros follow the bytes of a page. Decoders of package parquet read past the end.
const slack = 64

// withSlack returns n bytes and zeros after them.
func withSlack(b []byte, n int) []byte {
	b = grown(b, n+slack)
	clear(b[n:])
	return b[: n : n+slack]
}

// readStored reads the bytes of a page as they are stored.
func (r *pageReader) readStored() error {
	n := int64(r.header.CompressedPageSize)
	if n < 0 || n > r.chunk.meta.TotalCompressedSize || r.header.UncompressedPageSize < 0 {
		return fmt.Errorf("%w: a page of %d bytes", parquet.ErrCorrupted, n)
	}
	r.stored = withSlack(r.stored, int(n))
	if _, err := io.ReadFull(r.in, r.stored); err != nil {
		return unexpected(err)
	}
	if sum := uint32(r.header.CRC); sum != 0 && crc32.ChecksumIEEE(r.stored) != sum {
		return fmt.Errorf("%w: the checksum of a page differs", parquet.ErrCorrupted)
	}
	return nil
}

// decompress returns bytes that are n without compression.
func (r *pageReader) decompress(stored []byte, n int) ([]byte, error) {
	if r.chunk.meta.Codec == format.Uncompressed {
		if len(stored) != n {
			return nil, fmt.Errorf("%w: %d bytes instead of %d", parquet.ErrCorrupted, len(stored), n)
		}
		return stored, nil
	}
	r.raw = withSlack(r.raw, n)
	if n == 0 {
		return r.raw, nil
	}
	if r.chunk.meta.Codec == format.Lz4Raw { // the codec of package parquet never ends with damaged bytes
		got, err := lz4.UncompressBlock(stored, r.raw)
		if err != nil || got != n {
			return nil, fmt.Errorf("%w: LZ4 of %d bytes instead of %d, %v", parquet.ErrCorrupted, got, n, err)
		}
		return r.raw, nil
	}
	got, err := r.codec.Decode(r.raw, stored)
	if err != nil {
		return nil, err
	}
	if len(got) != n {
		return nil, fmt.Errorf("%w: %d decompressed bytes instead of %d", parquet.ErrCorrupted, len(got), n)
	}
	if n > 0 && &got[0] != &r.raw[0] {
		copy(r.raw, got)
	}
	clear(r.raw[n : n+slack]) // a codec may have written there
	return r.raw, nil
}

func (r *pageReader) readDictionary() error {
	h := r.header.DictionaryPageHeader
	if !h.Valid || h.V.NumValues < 0 {
		return parquet.ErrMissingPageHeader
	}
	data, err := r.decompress(r.stored, int(r.header.UncompressedPageSize))
	if err != nil {
		return err
	}
	v, err := r.decode(&parquet.Plain, data, int(h.V.NumValues))
	if err != nil {
		return err
	}
	r.distinct = int(h.V.NumValues)
	r.dictionary = &values{append([]byte{}, v.data...), append([]uint32{}, v.offsets...)}
	return nil
}

func (r *pageReader) readV1(p *page) (err error) {
	h := r.header.DataPageHeader
	if !h.Valid || h.V.NumValues < 0 {
		return parquet.ErrMissingPageHeader
	}
	data, err := r.decompress(r.stored, int(r.header.UncompressedPageSize))
	if err != nil {
		return err
	}
	n := int(h.V.NumValues)
	if r.c.repetition > 0 {
		if r.repetitions, data, err = r.levelsV1(r.repetitions, data, n, r.c.repetition, h.V.RepetitionLevelEncoding); err != nil {
			return err
		}
	}
	if r.c.definition > 0 {
		if r.definitions, data, err = r.levelsV1(r.definitions, data, n, r.c.definition, h.V.DefinitionLevelEncoding); err != nil {
			return err
		}
	}
	return r.take(p, n, h.V.Encoding, data)
}

// levelsV1 decodes levels that follow their length.
func (r *pageReader) levelsV1(dst, data []byte, n int, most byte, e format.Encoding) (levels, rest []byte, err error) {
	if e != format.RLE {
		return dst, nil, fmt.Errorf("levels encoded by %v: %w", e, errors.ErrUnsupported)
	}
	if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
		return dst, nil, io.ErrUnexpectedEOF
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	levels, err = decodeLevels(dst, data[4:end], n, most)
	return levels, data[end:], err
}

// decodeLevels decodes n levels.
func decodeLevels(dst, data []byte, n int, most byte) ([]byte, error) {
	coder := rle.Encoding{BitWidth: bits.Len8(most)}
	levels, err := coder.DecodeLevels(dst[:0], data)
	if err != nil {
		return dst, err
	}
	if len(levels) < n {
		return dst, fmt.Errorf("%w: %d levels instead of %d", parquet.ErrCorrupted, len(levels), n)
	}
	return levels[:n], nil
}

func (r *pageReader) readV2(p *page) (err error) {
	h := r.header.DataPageHeaderV2
	repetition, definition := int(h.V.RepetitionLevelsByteLength), int(h.V.DefinitionLevelsByteLength)
	if !h.Valid || h.V.NumValues < 0 || repetition < 0 || definition < 0 || repetition+definition > len(r.stored) {
		return parquet.ErrMissingPageHeader
	}
	n, data := int(h.V.NumValues), r.stored[repetition+definition:]
	if r.c.repetition > 0 {
		if r.repetitions, err = decodeLevels(r.repetitions, r.stored[:repetition], n, r.c.repetition); err != nil {
			return err
		}
	}
	if r.c.definition > 0 {
		if r.definitions, err = decodeLevels(r.definitions, r.stored[repetition:repetition+definition], n, r.c.definition); err != nil {
			return err
		}
	}
	if !h.V.IsCompressed.Valid || h.V.IsCompressed.V {
		if data, err = r.decompress(data, int(r.header.UncompressedPageSize)-repetition-definition); err != nil {
			return err
		}
	}
	return r.take(p, n, h.V.Encoding, data)
}

// take decodes the values of a page of n levels.
func (r *pageReader) take(p *page, n int, e format.Encoding, data []byte) error {
	*p = page{chunk: r.chunk, levels: n, count: n}
	if r.c.repetition > 0 {
		p.repetitions = r.repetitions
	}
	if r.c.definition > 0 {
		p.definitions = r.definitions
		p.count = count(p.definitions, r.c.definition)
	}
	if hasIndices(e) {
		if r.dictionary == nil {
			return fmt.Errorf("%w: no dictionary", parquet.ErrCorrupted)
		}
		p.dictionary, p.distinct = r.dictionary, r.distinct
		var err error
		p.ids, err = r.decodeIDs(data, p.count)
		return err
	}
	v, err := r.decode(parquet.LookupEncoding(e), data, p.count)
	p.values = v
	return err
}

// decodeIDs decodes n indices of the dictionary.
func (r *pageReader) decodeIDs(data []byte, n int) (ids []int32, err error) {
	if n == 0 {
		return nil, nil
	}
	if len(data) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if r.numbers32, err = parquet.RLEDictionary.DecodeInt32(r.numbers32[:0], data); err != nil {
		return nil, err
	}
	if len(r.numbers32) < n && data[0] == 0 { // some writers leave out zeros of no bits
		r.numbers32 = append(r.numbers32, make([]int32, n-len(r.numbers32))...)
	}
	if len(r.numbers32) < n {
		return nil, fmt.Errorf("%w: %d indices instead of %d", parquet.ErrCorrupted, len(r.numbers32), n)
	}
	return r.numbers32[:n], nil
}

// decode decodes n values.
func (r *pageReader) decode(e encoding.Encoding, data []byte, n int) (v values, err error) {
	if n == 0 {
		return v, nil
	}
	var all encoding.Values
	switch r.c.physical {
	case format.Boolean:
		r.bools, err = r.decodeBools(e, data, n)
		all = encoding.BooleanValues(r.bools)
	case format.Int32:
		r.numbers32, err = e.DecodeInt32(r.numbers32[:0], data)
		all = encoding.Int32Values(r.numbers32)
	case format.Int64:
		r.numbers64, err = e.DecodeInt64(r.numbers64[:0], data)
		all = encoding.Int64Values(r.numbers64)
	case format.Int96:
		r.numbers96, err = e.DecodeInt96(r.numbers96[:0], data)
		all = encoding.Int96Values(r.numbers96)
	case format.Float:
		r.floats, err = e.DecodeFloat(r.floats[:0], data)
		all = encoding.FloatValues(r.floats)
	case format.Double:
		r.doubles, err = e.DecodeDouble(r.doubles[:0], data)
		all = encoding.DoubleValues(r.doubles)
	case format.ByteArray:
		r.arrays, r.offsets, err = e.DecodeByteArray(r.arrays[:0], data, r.offsets[:0])
		all = encoding.ByteArrayValues(r.arrays, r.offsets)
	default:
		r.arrays, err = e.DecodeFixedLenByteArray(r.arrays[:0], data, r.c.width)
		all = encoding.FixedLenByteArrayValues(r.arrays, r.c.width)
	}
	if err != nil {
		return v, err
	}
	v.data, v.offsets = all.Data()
	return v.first(r.c, n)
}

// decodeBools decodes n bools, each to a byte. Those of RLE are coded as levels: package parquet v0.32.0 takes the lengths
// of their runs to be multiples of 8.
func (r *pageReader) decodeBools(e encoding.Encoding, data []byte, n int) (bools []byte, err error) {
	if e.Encoding() == format.RLE {
		bools, _, err = r.levelsV1(r.bools, data, n, 1, format.RLE)
		return bools, err
	}
	r.levels, err = e.DecodeBoolean(r.levels[:0], data)
	if err == nil && 8*len(r.levels) < n {
		err = fmt.Errorf("%w: %d bits instead of %d", parquet.ErrCorrupted, 8*len(r.levels), n)
	}
	if err != nil {
		return r.bools, err
	}
	return unpack(r.bools[:0], r.levels, n), nil
}

// first returns the first n values. It is an error if there are fewer.
func (v values) first(c *column, n int) (values, error) {
	short := fmt.Errorf("%w: fewer than %d values", parquet.ErrCorrupted, n)
	if c.width > 0 {
		if len(v.data) < n*c.width {
			return v, short
		}
		return values{data: v.data[:n*c.width]}, nil
	}
	if len(v.offsets) < n+1 {
		return v, short
	}
	v.offsets = v.offsets[:n+1]
	for i, o := range v.offsets[1:] {
		if o < v.offsets[i] || int(o) > len(v.data) {
			return v, fmt.Errorf("%w: lengths of values", parquet.ErrCorrupted)
		}
	}
	return v, nil
}
