package extsort_test

import (
	"math/rand/v2"
	"slices"
	"testing"

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
