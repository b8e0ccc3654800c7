package extsort_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// BenchmarkRows sorts rows of 24 bytes that take three times the memory.
func BenchmarkRows(b *testing.B) {
	n := testkit.Pick(1<<17, 4<<20)
	rows := rowsOf(keysOf("uniform", n, rand.New(rand.NewPCG(1, 2))))
	for name, put := range map[string]func(s *extsort.Sorter[row]) error{
		"slices":   func(s *extsort.Sorter[row]) error { return s.Append(rows...) },
		"sequence": func(s *extsort.Sorter[row]) error { return s.AppendSeq(slices.Values(rows)) },
		"single": func(s *extsort.Sorter[row]) (err error) {
			for i := 0; i < len(rows) && err == nil; i++ {
				err = s.Append(rows[i])
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(24 * n))
			b.ReportAllocs()
			for b.Loop() {
				s, err := extsort.New(byKey(), extsort.MemoryLimit(int64(8*n)), extsort.TempDir(b.TempDir()))
				if err != nil {
					b.Fatal(err)
				}
				if err := put(s); err != nil {
					b.Fatal(err)
				}
				readBatches(b, s, n)
			}
		})
	}
}

// BenchmarkStrings sorts lines of 20 to 100 bytes that take several times the memory, and in
// enough memory.
func BenchmarkStrings(b *testing.B) {
	n := testkit.Pick(1<<17, 4<<20)
	r := rand.New(rand.NewPCG(3, 4))
	lines, bytes := make([]string, n), 0
	for i := range lines {
		line := make([]byte, 20+r.IntN(80))
		for j := range line {
			line[j] = byte(' ' + r.IntN(90))
		}
		lines[i] = string(line)
		bytes += len(line)
	}
	o := sorter.By(sorter.Asc(func(s string) string { return s }))
	for name, limit := range map[string]int{"disk": 16 * n, "memory": 512 * n} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			var st extsort.Stats
			for b.Loop() {
				s, err := extsort.NewCoded(o, extsort.Strings(), extsort.MemoryLimit(int64(limit)), extsort.TempDir(b.TempDir()), extsort.Report(&st))
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Append(lines...); err != nil {
					b.Fatal(err)
				}
				readBatches(b, s, n)
			}
			b.Logf("%+v", st)
		})
	}
}

// readBatches reads the n elements of a sort and closes it.
func readBatches[E any](b *testing.B, s *extsort.Sorter[E], n int) {
	b.Helper()
	count := 0
	for batch, err := range s.Batches() {
		if err != nil {
			b.Fatal(err)
		}
		count += len(batch)
	}
	if err := s.Close(); err != nil || count != n {
		b.Fatal(count, err)
	}
}

// sale is an element with text, a number and a time.
type sale struct {
	Name string
	Qty  int
	At   time.Time
}

// saleCodec is a codec of sales as one writes it by hand.
type saleCodec struct{}

func (saleCodec) Append(dst []byte, e sale) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.Qty))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.At.UnixNano()))
	return append(dst, e.Name...), nil
}

func (saleCodec) Decode(src []byte) (sale, error) {
	if len(src) < 16 {
		return sale{}, errors.New("too short")
	}
	at := time.Unix(0, int64(binary.LittleEndian.Uint64(src[8:]))).UTC()
	return sale{string(src[16:]), int(binary.LittleEndian.Uint64(src)), at}, nil
}

// BenchmarkStruct sorts structs that take several times the memory, by the codec of their type and by one written by
// hand in turns. It prints the median ratio of their rates.
func BenchmarkStruct(b *testing.B) {
	n := testkit.Pick(1<<16, 2<<20)
	r := rand.New(rand.NewPCG(5, 6))
	sales := make([]sale, n)
	for i := range sales {
		sales[i] = sale{fmt.Sprintf("customer %d of %d", r.IntN(n), n), i, time.Unix(1_700_000_000+r.Int64N(1e8), r.Int64N(1e9)).UTC()}
	}
	o := sorter.By(sorter.Asc(func(e sale) string { return e.Name }))
	byType, err := extsort.Struct[sale]()
	if err != nil {
		b.Fatal(err)
	}
	var ratios []float64
	codecs := [2]extsort.Codec[sale]{byType, saleCodec{}}
	for first := 0; b.Loop(); first = 1 - first {
		var took [2]time.Duration
		for _, i := range []int{first, 1 - first} {
			s, err := extsort.NewCoded(o, codecs[i], extsort.MemoryLimit(int64(24*n)), extsort.TempDir(b.TempDir()))
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if err := s.Append(sales...); err != nil {
				b.Fatal(err)
			}
			readBatches(b, s, n)
			took[i] = time.Since(start)
		}
		ratios = append(ratios, float64(took[1])/float64(took[0]))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-by-hand")
}

// BenchmarkStructCodec encodes and decodes alone.
func BenchmarkStructCodec(b *testing.B) {
	byType, err := extsort.Struct[sale]()
	if err != nil {
		b.Fatal(err)
	}
	e := sale{"customer 12345 of 65536", 42, time.Unix(1_700_000_000, 5).UTC()}
	for name, c := range map[string]extsort.Codec[sale]{"type": byType, "hand": saleCodec{}} {
		b.Run(name, func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf, _ = c.Append(buf[:0], e)
				got, err := c.Decode(buf)
				if err != nil || got != e {
					b.Fatal(got, err)
				}
			}
		})
	}
}

// BenchmarkIncremental sorts a stream in order by key, whose groups have some elements each, by two columns.
func BenchmarkIncremental(b *testing.B) {
	n := testkit.Pick(1<<17, 4<<20)
	byAt := sorter.By(sorter.Asc(func(r row) uint64 { return r.At }))
	for _, length := range []int{1, 10, 1000, 100_000} {
		r := rand.New(rand.NewPCG(5, 6))
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{Key: uint64(i / length), At: r.Uint64()}
		}
		in := func(yield func([]row, error) bool) {
			for batch := range slices.Chunk(rows, 4096) {
				if !yield(batch, nil) {
					return
				}
			}
		}
		b.Run(fmt.Sprintf("groups=%d", length), func(b *testing.B) {
			b.SetBytes(int64(24 * n))
			for b.Loop() {
				for _, err := range extsort.Incremental(byKey(), byAt, in) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("groups=%d/whole", length), func(b *testing.B) {
			b.SetBytes(int64(24 * n))
			both := sorter.By(sorter.Asc(func(r row) uint64 { return r.Key }), sorter.Asc(func(r row) uint64 { return r.At }))
			for b.Loop() {
				s, err := extsort.New(both)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Append(rows...); err != nil {
					b.Fatal(err)
				}
				readBatches(b, s, n)
			}
		})
	}
}
