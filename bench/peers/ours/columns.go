package main

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"sync"

	"example.com/sorter"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// rows is the table of a folder.
type rows struct {
	n       int
	a       []int64
	g, d, s []int32
	v, m    []float64
	valid   []byte
	text    []byte
	offsets []int32
}

var table rows

func load(folder string, n int) *rows {
	if table.n != n {
		at := func(name string) string { return filepath.Join(folder, name) }
		table = rows{n, read[int64](at("a")), read[int32](at("g")), read[int32](at("d")), read[int32](at("s")),
			read[float64](at("v")), read[float64](at("m")), read[byte](at("m.valid")), read[byte](at("t")), read[int32](at("t.offsets"))}
	}
	return &table
}

// first and last are the outer 8 bytes of a text.
func (t *rows) first(row uint32) uint64 { return binary.LittleEndian.Uint64(t.text[t.offsets[row]:]) }
func (t *rows) last(row uint32) uint64 {
	return binary.LittleEndian.Uint64(t.text[t.offsets[row+1]-8:])
}

// mixed is the key of group and value, in sums.
func (t *rows) mixed(row uint32) uint64 { return uint64(t.g[row])<<32 + math.Float64bits(t.v[row]) }

func columns() {
	order("one", func(t *rows) sorter.Rows { return sorter.RowsBy(t.n, sorter.AscOf(t.a)) },
		func(t *rows, row uint32) uint64 { return uint64(t.a[row]) })
	order("two", groups, (*rows).mixed)
	order("four", func(t *rows) sorter.Rows {
		return sorter.RowsBy(t.n, sorter.AscOf(t.s), sorter.AscOf(t.g), sorter.AscOf(t.d), sorter.AscOf(t.a))
	}, func(t *rows, row uint32) uint64 { return uint64(t.a[row]) })
	order("text", func(t *rows) sorter.Rows { return sorter.RowsBy(t.n, sorter.Arena(t.text, t.offsets).Asc()) },
		func(t *rows, row uint32) uint64 { return 3*t.first(row) + t.last(row) })
	order("nulls", func(t *rows) sorter.Rows {
		return sorter.RowsBy(t.n, sorter.AscOf(t.m).NullsLastBits(t.valid, 0))
	}, func(t *rows, row uint32) uint64 {
		if t.valid[row/8]>>(row%8)&1 == 0 {
			return 7
		}
		return math.Float64bits(t.m[row])
	})
	contenders["sorter top columns"] = top
	contenders["sorter table columns"] = whole
	contenders["sorter rank columns"] = ranks
}

func groups(t *rows) sorter.Rows { return sorter.RowsBy(t.n, sorter.AscOf(t.g), sorter.DescOf(t.v)) }

// order offers an argsort; key is what its sum is of.
func order(op string, by func(t *rows) sorter.Rows, key func(t *rows, row uint32) uint64) {
	contenders["sorter "+op+" columns"] = func(folder string, n int) (times, uint64) {
		t := load(folder, n)
		var p perm.Perm
		took := timed(n, n, func(int) (err error) {
			p, err = by(t).Order(workers)
			return err
		})
		sum := keySum(n, func(i int) uint64 { return key(t, p[i]) })
		for _, row := range p {
			sum += uint64(row) * uint64(row)
		}
		return took, sum
	}
}

// top is the first 100 rows by v, descending.
func top(folder string, n int) (times, uint64) {
	t := load(folder, n)
	var p []uint32
	took := timed(n, n, func(int) (err error) {
		p, err = sorter.RowsBy(n, sorter.DescOf(t.v)).Top(100, workers)
		return err
	})
	return took, keySum(len(p), func(i int) float64 { return t.v[p[i]] })
}

// whole sorts a table of five columns: new columns in the order of groups.
func whole(folder string, n int) (times, uint64) {
	t := load(folder, n)
	to := rows{n: n}
	took := timed(n, n, func(int) error {
		p, err := groups(t).Order(workers)
		if err != nil {
			return err
		}
		to.a, to.g, to.v, to.d = gather(t.a, p), gather(t.g, p), gather(t.v, p), gather(t.d, p)
		to.text, to.offsets = gatherText(t, p)
		return nil
	})
	return took, keySum(n, func(i int) uint64 {
		row := uint32(i)
		return uint64(to.a[i]) + 5*to.mixed(row) + uint64(to.d[i]) + 3*to.first(row) + to.last(row)
	})
}

func gather[T any](src []T, p perm.Perm) []T {
	dst := make([]T, len(p))
	perm.Gather(dst, src, p, threads)
	return dst
}

// gatherText gathers texts with a goroutine for each worker.
func gatherText(t *rows, p perm.Perm) (text []byte, offsets []int32) {
	offsets = make([]int32, len(p)+1)
	for i, row := range p {
		offsets[i+1] = offsets[i] + t.offsets[row+1] - t.offsets[row]
	}
	text = make([]byte, offsets[len(p)])
	var wg sync.WaitGroup
	for k := range threads {
		wg.Go(func() {
			for i := len(p) * k / threads; i < len(p)*(k+1)/threads; i++ {
				copy(text[offsets[i]:], t.text[t.offsets[p[i]]:t.offsets[p[i]+1]])
			}
		})
	}
	wg.Wait()
	return text, offsets
}

// ranks are those within groups, by v descending.
func ranks(folder string, n int) (times, uint64) {
	t := load(folder, n)
	dst := make([]uint32, n)
	took := timed(n, n, func(int) error {
		var parts, peers perm.Runs
		p, err := groups(t).Order(workers, sorter.MarkRunsBy(1, &parts), sorter.MarkRuns(&peers))
		if err == nil {
			rank.Window{Order: p, Partitions: parts, Peers: peers}.Rank(dst)
		}
		return err
	})
	return took, keySum(n, func(i int) uint32 { return dst[i] })
}
