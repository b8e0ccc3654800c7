package main

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// The table of the job arrow, in batches of tableBatch rows in a file of Arrow IPC. Keys are the first
// two columns that are named so.

const tableBatch = 1 << 16

var tableSchema = arrow.NewSchema([]arrow.Field{
	{Name: "account", Type: arrow.PrimitiveTypes.Int64},
	{Name: "amount", Type: arrow.PrimitiveTypes.Float64},
	{Name: "note", Type: arrow.BinaryTypes.String},
	{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}},
	{Name: "open", Type: arrow.FixedWidthTypes.Boolean},
}, nil)

// Ordered by account, of which each has about 20 rows, and then by amount.
var tableKeys = []arrowsort.SortKey{{ColumnIndex: 0}, {ColumnIndex: 1}}

// makeTable writes the table to the input of t, unless a run before has left it.
func makeTable(t task) error {
	made, err := makeInput(t, func(f *os.File) error {
		w, err := ipc.NewFileWriter(f, ipc.WithSchema(tableSchema))
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(5, 6))
		b := array.NewRecordBuilder(memory.DefaultAllocator, tableSchema)
		defer b.Release()
		for lo := 0; lo < t.n; lo += tableBatch {
			for range min(tableBatch, t.n-lo) {
				appendRow(b, r, t.n)
			}
			batch := b.NewRecordBatch()
			err := w.Write(batch)
			batch.Release()
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
	if err != nil || !made {
		return err
	}
	return loadDuck(t)
}

// appendRow appends a random row: a note has 5 to 40 letters.
func appendRow(b *array.RecordBuilder, r *rand.Rand, n int) {
	b.Field(0).(*array.Int64Builder).Append(r.Int64N(max(int64(n)/20, 1)))
	b.Field(1).(*array.Float64Builder).Append(math.Round(r.NormFloat64()*1e6) / 100)
	var note [40]byte
	for i := 0; i < len(note); i += 8 {
		binary.LittleEndian.PutUint64(note[i:], r.Uint64()&0x0f0f0f0f0f0f0f0f|0x6060606060606060)
	}
	b.Field(2).(*array.StringBuilder).Append(string(note[:5+r.IntN(36)]))
	b.Field(3).(*array.TimestampBuilder).Append(arrow.Timestamp(1.7e15 + r.Int64N(1e14)))
	b.Field(4).(*array.BooleanBuilder).Append(r.IntN(2) == 0)
}

// tableReader reads the file, a batch at a time.
type tableReader struct {
	array.RecordReader // methods that are not below
	file               *os.File
	in                 *ipc.FileReader
	next               int
	current            arrow.RecordBatch
	err                error
}

func openTable(t task) (*tableReader, error) {
	f, err := os.Open(t.in)
	if err != nil {
		return nil, err
	}
	in, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &tableReader{file: f, in: in}, nil
}

func (r *tableReader) Schema() *arrow.Schema { return tableSchema }
func (r *tableReader) Retain()               {}
func (r *tableReader) Release()              {}
func (r *tableReader) Err() error            { return r.err }
func (r *tableReader) Next() bool {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	if r.err != nil || r.next == r.in.NumRecords() {
		return false
	}
	r.current, r.err = r.in.RecordBatchAt(r.next)
	r.next++
	return r.err == nil
}
func (r *tableReader) RecordBatch() arrow.RecordBatch { return r.current }

func (r *tableReader) close() error { return errors.Join(r.in.Close(), r.file.Close()) }

// tableRow is a row as an object.
type tableRow struct {
	account int64
	amount  float64
	note    string
	at      int64
	open    bool
}

func (r *tableRow) compare(o *tableRow) int {
	return cmp.Or(cmp.Compare(r.account, o.account), cmp.Compare(r.amount, o.amount))
}

// tableSum checks rows in order, and adds up all columns.
type tableSum struct {
	n, notes, open int
	at             int64
	last           tableRow
}

func (s *tableSum) take(account int64, amount float64, note string, at int64, open bool) {
	next := tableRow{account: account, amount: amount}
	if s.n > 0 && next.compare(&s.last) < 0 {
		panic("out of order")
	}
	s.last = next
	s.n++
	s.notes += len(note)
	s.at += at
	if open {
		s.open++
	}
}

// end expects all rows.
func (s *tableSum) end(t task) error {
	if s.n != t.n || s.notes < 5*t.n || s.notes > 40*t.n || t.n > 1000 && (s.open < t.n/3 || s.open > t.n*2/3) {
		return fmt.Errorf("%d rows of %d with %d bytes of notes, %d of them open", s.n, t.n, s.notes, s.open)
	}
	return nil
}

// takeBatch takes the rows of a batch.
func (s *tableSum) takeBatch(batch arrow.RecordBatch) {
	accounts, amounts := batch.Column(0).(*array.Int64), batch.Column(1).(*array.Float64)
	notes, ats, opens := batch.Column(2).(*array.String), batch.Column(3).(*array.Timestamp), batch.Column(4).(*array.Boolean)
	for i := range accounts.Len() {
		s.take(accounts.Value(i), amounts.Value(i), notes.Value(i), int64(ats.Value(i)), opens.Value(i))
	}
}

// tableByReader sorts by arrowsort.SortReader. The garbage collector is told the memory of the sort, here and in
// tableByRows.
func tableByReader(t task) error {
	debug.SetMemoryLimit(t.memory)
	in, err := openTable(t)
	if err != nil {
		return err
	}
	defer in.close()
	ctx := compute.SetExecCtx(context.Background(), compute.ExecCtx{NumParallel: t.workers})
	out, err := arrowsort.SortReader(ctx, in, tableKeys, arrowsort.MemoryLimit(t.memory), arrowsort.TempDir(t.dir))
	if err != nil {
		return err
	}
	defer out.Release()
	var sum tableSum
	for out.Next() {
		sum.takeBatch(out.RecordBatch())
	}
	return errors.Join(out.Err(), sum.end(t))
}

// rowBytes is the memory of a row object, without its note.
const rowBytes = 48

// rowShare is the share of the memory that row objects take: the rest is for the batch that is read, buffers
// of files, and garbage. With more the collector runs all the time.
const rowShare = 0.75

// tableByRows sorts row objects: chunks as long as memory holds by sort.Slice, written to files and
// merged by a heap.
func tableByRows(t task) error {
	debug.SetMemoryLimit(t.memory)
	in, err := openTable(t)
	if err != nil {
		return err
	}
	defer in.close()
	runtime.GOMAXPROCS(t.workers)
	budget := int64(rowShare * float64(t.memory))
	var files []*rowFile
	defer func() {
		for _, f := range files {
			f.file.Close()
		}
	}()
	var rows []tableRow
	flush := func() error {
		sort.Slice(rows, func(i, j int) bool { return rows[i].compare(&rows[j]) < 0 })
		f, err := writeRowFile(t.dir, rows)
		if err == nil {
			files, rows = append(files, f), rows[:0]
		}
		return err
	}
	taken := int64(0)
	for in.Next() {
		b := in.RecordBatch()
		for i := range int(b.NumRows()) {
			row := tableRow{b.Column(0).(*array.Int64).Value(i), b.Column(1).(*array.Float64).Value(i),
				strings.Clone(b.Column(2).(*array.String).Value(i)), int64(b.Column(3).(*array.Timestamp).Value(i)), b.Column(4).(*array.Boolean).Value(i)}
			if rows == nil {
				rows = make([]tableRow, 0, budget/(rowBytes+24))
			}
			if need := rowBytes + int64(len(row.note)+7)/8*8; taken+need > budget || len(rows) == cap(rows) {
				if err := flush(); err != nil {
					return err
				}
				taken = 0
			}
			taken += rowBytes + int64(len(row.note)+7)/8*8
			rows = append(rows, row)
		}
	}
	if in.Err() != nil {
		return in.Err()
	}
	if err := flush(); err != nil {
		return err
	}
	rows = nil
	var sum tableSum
	if err := mergeRowFiles(files, &sum); err != nil {
		return err
	}
	return sum.end(t)
}

// rowFile is a sorted file of rows, and the row that it is at.
type rowFile struct {
	file *os.File
	r    *bufio.Reader
	row  tableRow
}

func writeRowFile(dir string, rows []tableRow) (*rowFile, error) {
	f, err := os.CreateTemp(dir, "external-rows-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	for i := range rows {
		row := &rows[i]
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(row.account))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(row.amount))
		b = binary.LittleEndian.AppendUint64(b, uint64(row.at)<<1)
		if row.open {
			b[16] |= 1
		}
		b = append(binary.AppendUvarint(b, uint64(len(row.note))), row.note...)
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return &rowFile{file: f, r: bufio.NewReaderSize(f, 1<<20)}, err
}

// next reads the next row.
func (f *rowFile) next() error {
	var head [24]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return err
	}
	n, err := binary.ReadUvarint(f.r)
	if err != nil {
		return err
	}
	note := make([]byte, n)
	if _, err := io.ReadFull(f.r, note); err != nil {
		return err
	}
	at := binary.LittleEndian.Uint64(head[16:])
	f.row = tableRow{int64(binary.LittleEndian.Uint64(head[:])), math.Float64frombits(binary.LittleEndian.Uint64(head[8:])), string(note), int64(at >> 1), at&1 == 1}
	return nil
}

type rowHeap []*rowFile

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return h[i].row.compare(&h[j].row) < 0 }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)        { *h = append(*h, x.(*rowFile)) }
func (h *rowHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func mergeRowFiles(files []*rowFile, sum *tableSum) error {
	var h rowHeap
	for _, f := range files {
		if err := f.next(); err != nil {
			return err
		}
		h = append(h, f)
	}
	heap.Init(&h)
	for len(h) > 0 {
		r := &h[0].row
		sum.take(r.account, r.amount, r.note, r.at, r.open)
		switch err := h[0].next(); err {
		case nil:
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}
