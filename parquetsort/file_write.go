package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// write writes the files and puts them in the places of the destinations.
func (s *fileSort) write() (err error) {
	var made []*outFile
	defer func() {
		for _, o := range made {
			o.discard()
		}
	}()
	for i, groups := range s.filesOf() {
		o, err := s.create(s.target.path(i))
		if err != nil {
			return err
		}
		made = append(made, o)
		if err := s.writeFile(o, groups); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	for _, src := range s.sources { // one may be a destination, which is open on no system then
		src.close()
	}
	s.sources = nil
	for _, o := range made {
		if err := o.place(); err != nil {
			return err
		}
		s.stats.Files = append(s.stats.Files, o.path)
		s.stats.BytesOut += o.size
	}
	s.stats.RowGroups = len(s.chunks)
	return s.options.disk.SyncDir(filepath.Dir(s.target.path(0))) // of all
}

// groupsOf is the row groups of a file.
type groupsOf struct{ from, to int }

// filesOf returns the row groups of each file; one without groups if there are no rows.
func (s *fileSort) filesOf() (files []groupsOf) {
	starts := append(slices.Clone(s.layout.files), len(s.chunks))
	for i, from := range starts[:len(starts)-1] {
		at, bytes := from, int64(0)
		for g := from; g < starts[i+1]; g++ {
			size := groupBytes(s.chunks[g])
			if most := s.options.splitBytes; most > 0 && g > at && bytes+size > most-fileBytes {
				files = append(files, groupsOf{at, g})
				at, bytes = g, 0
			}
			bytes += size
		}
		files = append(files, groupsOf{at, starts[i+1]})
	}
	if len(files) == 0 {
		files = []groupsOf{{}}
	}
	return files
}

// fileBytes is taken to be the size of the footer without row groups.
const fileBytes = 4 << 10

// chunkBytes is taken to be the size of a chunk in the footer and the index without its pages, pageIndexBytes that of a
// page.
const (
	chunkBytes     = 250
	pageIndexBytes = 40
)

// groupBytes returns about the size of a row group, with its part of the footer and of the index.
func groupBytes(chunks []*chunk) (bytes int64) {
	for _, c := range chunks {
		bytes += c.size + chunkBytes + pageIndexBytes*int64(len(c.offsets.PageLocations))
		if c.columns != nil {
			for i, low := range c.columns.MinValues {
				bytes += int64(len(low) + len(c.columns.MaxValues[i]))
			}
		}
	}
	return bytes
}

// outFile is a file that is written beside its destination.
type outFile struct {
	disk       disk
	path, temp string
	file       file
	size       int64
	placed     bool
	buffer     []byte
}

func (s *fileSort) create(path string) (*outFile, error) {
	dir, name := filepath.Split(path)
	mode := s.target.mode(path)
	for i := 0; ; i++ {
		temp := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", name, os.Getpid(), i))
		f, err := s.options.disk.Create(temp, mode)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &outFile{disk: s.options.disk, path: path, temp: temp, file: f}, nil
	}
}

// Write appends to the file.
func (o *outFile) Write(p []byte) (int, error) {
	n, err := o.file.WriteAt(p, o.size)
	o.size += int64(n)
	return n, err
}

// place renames the file.
func (o *outFile) place() error {
	err := o.file.Close()
	o.file = nil
	if err != nil {
		return err
	}
	if err := o.disk.Rename(o.temp, o.path); err != nil {
		return err
	}
	o.placed = true
	return nil
}

// discard removes the file if it is not in its place.
func (o *outFile) discard() {
	if o.file != nil {
		o.file.Close()
	}
	if !o.placed {
		o.disk.Remove(o.temp)
	}
}

// maxGroups is the number of row groups that have an ordinal.
const maxGroups = 1 << 15

// writeFile writes row groups, their index and the footer.
func (s *fileSort) writeFile(o *outFile, groups groupsOf) error {
	if groups.to-groups.from > maxGroups {
		return fmt.Errorf("%d row groups, more than %d", groups.to-groups.from, maxGroups)
	}
	if _, err := o.Write([]byte(magic)); err != nil {
		return err
	}
	metas := make([]format.RowGroup, groups.to-groups.from)
	for i := range metas {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		g := groups.from + i
		if err := s.writeGroup(o, &metas[i], g, int16(i)); err != nil {
			return err
		}
	}
	if err := o.writeIndex(metas, s.chunks[groups.from:groups.to]); err != nil {
		return err
	}
	if err := s.writeFooter(o, metas); err != nil {
		return err
	}
	return o.file.Sync()
}

// writeGroup copies the chunks of a row group.
func (s *fileSort) writeGroup(o *outFile, meta *format.RowGroup, g int, ordinal int16) error {
	*meta = format.RowGroup{
		NumRows:        int64(s.layout.groups[g+1] - s.layout.groups[g]),
		SortingColumns: s.claims,
		FileOffset:     o.size,
		Ordinal:        ordinal,
	}
	for _, c := range s.chunks[g] {
		at := o.size
		if err := s.copyChunk(o, c); err != nil {
			return err
		}
		m := c.meta
		if m.DataPageOffset > 0 {
			m.DictionaryPageOffset = at
		}
		m.DataPageOffset += at
		if c.filter > 0 {
			m.BloomFilterOffset, m.BloomFilterLength = at+m.TotalCompressedSize, int32(c.filter)
		}
		for i := range c.offsets.PageLocations {
			c.offsets.PageLocations[i].Offset += at
		}
		meta.TotalByteSize += m.TotalUncompressedSize
		meta.TotalCompressedSize += m.TotalCompressedSize
		meta.Columns = append(meta.Columns, format.ColumnChunk{FileOffset: at, MetaData: m})
	}
	return nil
}

// copyBytes is how many bytes are copied at a time.
const copyBytes = 1 << 20

func (s *fileSort) copyChunk(o *outFile, c *chunk) error {
	o.buffer = grown(o.buffer, copyBytes)
	for at, end := c.at, c.at+c.size; at < end; {
		part := o.buffer[:min(copyBytes, end-at)]
		if err := s.store.file.read(part, at); err != nil {
			return err
		}
		if _, err := o.Write(part); err != nil {
			return err
		}
		at += int64(len(part))
	}
	return nil
}

// writeIndex writes the column indexes of all chunks, and then the offset indexes: readers take each as one part of the
// file.
func (o *outFile) writeIndex(metas []format.RowGroup, groups [][]*chunk) (err error) {
	for g, chunks := range groups {
		for i, c := range chunks {
			column := &metas[g].Columns[i]
			if c.columns != nil {
				if column.ColumnIndexOffset, column.ColumnIndexLength, err = o.marshal(c.columns); err != nil {
					return err
				}
			}
		}
	}
	for g, chunks := range groups {
		for i, c := range chunks {
			column := &metas[g].Columns[i]
			if column.OffsetIndexOffset, column.OffsetIndexLength, err = o.marshal(&c.offsets); err != nil {
				return err
			}
		}
	}
	return nil
}

// marshal writes a struct of package format, and returns where it is.
func (o *outFile) marshal(v any) (at int64, n int32, err error) {
	b, err := marshal(v)
	if err != nil {
		return 0, 0, err
	}
	at = o.size
	_, err = o.Write(b)
	return at, int32(len(b)), err
}

// createdBy names the writer of files.
const createdBy = "parquetsort"

// writeFooter writes the footer, whose schema is that of the first source byte by byte.
func (s *fileSort) writeFooter(o *outFile, metas []format.RowGroup) error {
	rows := int64(0)
	for i := range metas {
		rows += metas[i].NumRows
	}
	b := appendInt(appendField(nil, 1, thriftI32), int64(s.sources[0].parquet.Metadata().Version))
	b = append(appendField(b, 1, thriftList), s.sources[0].footer.schema...)
	b = appendInt(appendField(b, 1, thriftI64), rows)
	b = appendListHead(appendField(b, 1, thriftList), len(metas), thriftStruct)
	for i := range metas {
		meta, err := marshal(&metas[i])
		if err != nil {
			return err
		}
		b = append(b, meta...)
	}
	rest, err := marshal(&struct {
		KeyValueMetadata thrift.Slice[format.KeyValue]    `thrift:"5,optional"`
		CreatedBy        string                           `thrift:"6,optional"`
		ColumnOrders     thrift.Slice[format.ColumnOrder] `thrift:"7,optional"`
	}{s.metadata(), createdBy, s.columnOrders()})
	if err != nil {
		return err
	}
	// The first field of rest follows the field of id 4 instead of none.
	head := rest[0]
	b = append(append(b, (head>>4-4)<<4|head&0xf), rest[1:]...)
	n := len(b)
	b = append(append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), magic...)
	_, err = o.Write(b)
	return err
}

// metadata returns that of the first source, and what only others have.
func (s *fileSort) metadata() (all []format.KeyValue) {
	for _, src := range s.sources {
		for _, kv := range src.parquet.Metadata().KeyValueMetadata {
			if !slices.ContainsFunc(all, func(other format.KeyValue) bool { return other.Key == kv.Key }) {
				all = append(all, kv)
			}
		}
	}
	return all
}

// columnOrders says that bounds are in the order of the type of each column.
func (s *fileSort) columnOrders() (orders []format.ColumnOrder) {
	for range s.columns {
		orders = append(orders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	return orders
}
