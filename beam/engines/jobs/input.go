package jobs

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// record is an element of 24 bytes.
type record struct {
	Key float64 `parquet:"key"`
	ID  uint64  `parquet:"id"`
	Sum uint64  `parquet:"sum"` // a hash of the others
}

const recordSize = 24

// heavy is the key of one record in five: more than a shard holds.
const heavy = 0.5

// drawn returns the record of a number.
func drawn(id uint64) record {
	r := rand.New(rand.NewPCG(id, 7))
	key := math.Floor(r.NormFloat64()*1e6) / 1e3
	if id%5 == 0 {
		key = heavy
	}
	return record{key, id, math.Float64bits(key)*0x9e3779b97f4a7c15 ^ id}
}

func appendRecord(dst []byte, r record) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.Key))
	dst = binary.LittleEndian.AppendUint64(dst, r.ID)
	return binary.LittleEndian.AppendUint64(dst, r.Sum)
}

func readRecord(b []byte) record {
	return record{math.Float64frombits(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])}
}

// appendLine appends the line of a number: some are equal, and lengths differ.
func appendLine(dst []byte, id uint64) []byte {
	r := rand.New(rand.NewPCG(id%1_900_000, 11))
	dst = fmt.Appendf(dst, "%s,%d,", []string{"SE", "DE", "AT", "BR", "JP"}[r.IntN(5)], 1_700_000_000+r.IntN(1e8))
	for range 4 + r.IntN(28) {
		dst = append(dst, byte('a'+r.IntN(26)))
	}
	return dst
}

// writeInput writes a file of n elements.
func writeInput(path string, n int, appendElement func(dst []byte, id uint64) []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	for id := range n {
		b = appendElement(b[:0], uint64(id))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// WriteRecords writes a file of n records.
func WriteRecords(path string, n int) error { return writeInput(path, n, drawRecord) }

// WriteLines writes a file of n lines.
func WriteLines(path string, n int) error { return writeInput(path, n, drawLine) }

func drawRecord(dst []byte, id uint64) []byte { return appendRecord(dst, drawn(id)) }
func drawLine(dst []byte, id uint64) []byte   { return append(appendLine(dst, id), '\n') }

// piece is a range of a file.
type piece struct {
	Path     string
	From, To int64
}

// splitFn emits the pieces of a file of records.
type splitFn struct {
	Path   string
	Pieces int64
}

func (f *splitFn) ProcessElement(_ []byte, emit func(piece)) error {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	n := info.Size() / recordSize
	for i := range f.Pieces {
		emit(piece{f.Path, i * n / f.Pieces * recordSize, (i + 1) * n / f.Pieces * recordSize})
	}
	return nil
}

// readFn emits the records of a piece.
type readFn struct{}

func (*readFn) ProcessElement(_ context.Context, p piece, emit func(record)) error {
	f, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.NewSectionReader(f, p.From, p.To-p.From), 1<<20)
	var b [recordSize]byte
	for range (p.To - p.From) / recordSize {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return err
		}
		emit(readRecord(b[:]))
	}
	return nil
}

// readRecords is the collection of the records of a file.
func readRecords(s beam.Scope, path string) beam.PCollection {
	pieces := beam.ParDo(s, &splitFn{path, 16}, beam.Impulse(s))
	return beam.ParDo(s, &readFn{}, beam.Reshuffle(s, pieces))
}

func init() {
	beam.RegisterType(reflect.TypeFor[splitFn]())
	beam.RegisterType(reflect.TypeFor[readFn]())
	beam.RegisterType(reflect.TypeFor[piece]())
	beam.RegisterType(reflect.TypeFor[record]())
}

// splitLines calls use with each line of a file, without its end.
func splitLines(path string, use func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := use(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
}
