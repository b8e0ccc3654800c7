package parquetsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// source is a file that is sorted.
type source struct {
	path    string
	file    file
	size    int64
	parquet *parquet.File
	footer  footer
}

// readBuffer is the buffer of the reader of a column chunk.
const readBuffer = 1 << 18

// openSources opens files, and checks that they have one schema.
func openSources(d disk, paths []string) (sources []*source, err error) {
	if len(paths) == 0 {
		return nil, errors.New("no source")
	}
	for _, path := range paths {
		src, err := openSource(d, path)
		if err == nil && len(sources) > 0 {
			if err = sameSchema(sources[0], src); err != nil {
				src.close()
			}
		}
		if err != nil {
			for _, opened := range sources {
				opened.close()
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sources = append(sources, src)
	}
	return sources, nil
}

func openSource(d disk, path string) (src *source, err error) {
	f, size, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	src = &source{path: path, file: f, size: size}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if src.footer, err = readFooter(f, size); err != nil {
		return nil, err
	}
	err = guarded(func() (err error) {
		src.parquet, err = parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
			parquet.ReadBufferSize(readBuffer))
		return err
	})
	if err != nil {
		return nil, err
	}
	return src, src.check()
}

// guarded makes an error of a panic of package parquet, which it has for some damaged files.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", parquet.ErrCorrupted, p)
		}
	}()
	return f()
}

// check refuses what a copy would lose or a reader could not follow.
func (s *source) check() error {
	m := s.parquet.Metadata()
	if m.EncryptionAlgorithm.Value != nil {
		return errors.New("the file is encrypted")
	}
	rows := int64(0)
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		if len(g.Columns) != len(s.footer.unknown) || g.NumRows < 0 {
			return fmt.Errorf("row group %d: %w", i, parquet.ErrCorrupted)
		}
		for j := range g.Columns {
			if g.Columns[j].FilePath != "" {
				return fmt.Errorf("a column of row group %d is in another file, %s", i, g.Columns[j].FilePath)
			}
		}
		rows += g.NumRows
	}
	if rows != m.NumRows {
		return fmt.Errorf("%w: %d rows in row groups, %d in the file", parquet.ErrCorrupted, rows, m.NumRows)
	}
	return nil
}

func (s *source) close() { s.file.Close() }

// sameSchema reports where a schema differs from that of the first source. The name of the root is no part of it.
func sameSchema(first, other *source) error {
	a, b := first.footer.elements, other.footer.elements
	for i := 1; i < min(len(a), len(b)); i++ {
		if !bytes.Equal(a[i], b[i]) && !sameElement(first, other, i) {
			return fmt.Errorf("column %s is not as in %s", other.parquet.Metadata().Schema[i].Name, first.path)
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("the schema has %d nodes, that of %s %d", len(b), first.path, len(a))
	}
	return nil
}

// sameElement compares elements of schemas whose bytes differ: writers encode booleans and defaults in several ways.
func sameElement(first, other *source, i int) bool {
	a, b := first.parquet.Metadata().Schema[i], other.parquet.Metadata().Schema[i]
	x, err := marshal(&a)
	y, err2 := marshal(&b)
	return err == nil && err2 == nil && bytes.Equal(x, y) && !first.footer.odd[i] && !other.footer.odd[i]
}

// footer is the parts of a footer that are copied byte by byte, as thrift has them: package parquet
// drops unknown fields, and field ids of 0.
type footer struct {
	schema   []byte
	elements [][]byte // of the schema
	odd      []bool   // elements that have more than package parquet keeps
	unknown  []bool   // leaves whose logical type package parquet does not know
}

const magic = "PAR1"

// mostFooter bounds a footer that is read, as its length takes 32 bits.
const mostFooter = 1 << 31

func readFooter(f io.ReaderAt, size int64) (footer, error) {
	var tail [8]byte
	if size < int64(len(magic)+len(tail)) {
		return footer{}, errors.New("the file is too short for a parquet file")
	}
	if _, err := f.ReadAt(tail[:], size-int64(len(tail))); err != nil && err != io.EOF {
		return footer{}, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case string(tail[4:]) == "PARE":
		return footer{}, errors.New("the footer of the file is encrypted")
	case string(tail[4:]) != magic:
		return footer{}, errors.New("the file is no parquet file")
	case n > size-int64(len(magic)+len(tail)) || n > mostFooter:
		return footer{}, fmt.Errorf("a footer of %d bytes: %w", n, parquet.ErrCorrupted)
	}
	raw := make([]byte, n)
	if _, err := f.ReadAt(raw, size-int64(len(tail))-n); err != nil && err != io.EOF {
		return footer{}, err
	}
	return parseFooter(raw)
}

// Fields of structs in parquet.thrift.
const (
	fileSchema      = 2
	elementChildren = 5
	elementID       = 9
	elementLogical  = 10
)

func parseFooter(raw []byte) (f footer, err error) {
	r := thriftReader{b: raw}
	r.fields(func(id int16, kind byte) {
		from := r.at
		if id != fileSchema || kind != thriftList {
			r.skip(kind)
			return
		}
		for range r.listLen() {
			f.element(&r)
		}
		f.schema = raw[from:r.at]
	})
	if r.bad || len(f.elements) == 0 {
		return f, fmt.Errorf("the footer is no schema: %w", parquet.ErrCorrupted)
	}
	return f, nil
}

// element takes in an element of the schema.
func (f *footer) element(r *thriftReader) {
	from := r.at
	odd, unknown, leaf := false, false, true
	r.fields(func(id int16, kind byte) {
		at := r.at
		switch {
		case id == elementLogical && kind == thriftStruct:
			r.fields(func(id int16, kind byte) {
				unknown = unknown || id < 1 || id == 9 || id > 18
				r.skip(kind)
			})
		default:
			r.skip(kind)
		}
		switch {
		case id == elementChildren:
			leaf = r.at-at == 1 && !r.bad && r.b[at] == 0
		case id == elementID:
			odd = odd || r.at-at == 1 && !r.bad && r.b[at] == 0
		}
		odd = odd || id < 1 || id > elementLogical
	})
	if r.bad {
		return
	}
	f.elements = append(f.elements, r.b[from:r.at])
	f.odd = append(f.odd, odd || unknown)
	if leaf && len(f.elements) > 1 {
		f.unknown = append(f.unknown, unknown)
	}
}

// levelsOf returns the number of levels of each leaf.
func levelsOf(elements []format.SchemaElement) (definition, repetition []byte) {
	var walk func(i int, d, r byte) int
	walk = func(i int, d, r byte) int {
		e := &elements[i]
		if i > 0 && e.RepetitionType.Valid {
			switch e.RepetitionType.V {
			case format.Optional:
				d++
			case format.Repeated:
				d, r = d+1, r+1
			}
		}
		children := int(e.NumChildren.V)
		if i++; children == 0 && i > 1 {
			definition, repetition = append(definition, d), append(repetition, r)
		}
		for range children {
			if i < len(elements) {
				i = walk(i, d, r)
			}
		}
		return i
	}
	walk(0, 0, 0)
	return definition, repetition
}
