//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/perm"
)

var (
	byColumns = flag.Bool("columns", false, "order rows by columns instead, beside CUB's merge sort with a comparison of rows and the CPU engine, and compare the results")
	columnsN  = flag.String("columns-n", "1000000,10000000,100000000", "comma-separated numbers of rows of -columns")
)

// table is columns on the device and on the host.
type table struct {
	name    string
	kind    uint64 // of cub_columns.cu
	device  []gpu.Column
	host    []sorter.Column[int]
	theirs  theirColumns
	held    []cuda.Ptr
	failure error
}

// theirColumns is struct Columns of cub_columns.cu.
type theirColumns struct {
	values, validity [3]cuda.Ptr
	offsets          cuda.Ptr
	bytes            uint64
}

// tables makes the tables of n rows, one at a time.
var tables = []func(b *bench, n int) *table{
	func(b *bench, n int) *table {
		t := &table{name: "int32, int32", kind: 0}
		for k := range 2 {
			v := drawn(n, (*rand.Rand).Int32)
			t.add(b, k, gpu.Column{Type: gpu.Int32}, asBytes(v), sorter.AscOf(v))
		}
		return t
	},
	func(b *bench, n int) *table {
		t := &table{name: "int64, float64 desc, a tenth null", kind: 1}
		ints, floats := drawn(n, (*rand.Rand).Int64), drawn(n, (*rand.Rand).NormFloat64)
		t.add(b, 0, gpu.Column{Type: gpu.Int64}, asBytes(ints), sorter.AscOf(ints).NullsLastBits(t.nulls(b, 0, n), 0))
		t.add(b, 1, gpu.Column{Type: gpu.Float64, Desc: true}, asBytes(floats), sorter.DescOf(floats).NullsLastBits(t.nulls(b, 1, n), 0))
		return t
	},
	func(b *bench, n int) *table {
		t := &table{name: "int32 of 1000 values, int32", kind: 0}
		few, v := drawn(n, func(r *rand.Rand) int32 { return r.Int32N(1000) }), drawn(n, (*rand.Rand).Int32)
		t.add(b, 0, gpu.Column{Type: gpu.Int32}, asBytes(few), sorter.AscOf(few))
		t.add(b, 1, gpu.Column{Type: gpu.Int32}, asBytes(v), sorter.AscOf(v))
		return t
	},
	func(b *bench, n int) *table { return b.texts("texts of 8 to 32 bytes", n, "") },
	func(b *bench, n int) *table {
		return b.texts("texts of 8 to 32 bytes after one of 8 hosts", n, "https://")
	},
	func(b *bench, n int) *table {
		t := &table{name: "three int32 of 10, 100 and 1000 values", kind: 3}
		for k, values := range []int32{10, 100, 1000} {
			v := drawn(n, func(r *rand.Rand) int32 { return 1 << 20 * r.Int32N(values) })
			t.add(b, k, gpu.Column{Type: gpu.Int32}, asBytes(v), sorter.AscOf(v))
		}
		return t
	},
}

func asBytes[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}

// up brings memory to the device.
func (t *table) up(b *bench, memory []byte) cuda.Ptr {
	p, err := b.Alloc(len(memory) + 16)
	if err == nil {
		t.held = append(t.held, p)
		err = errors.Join(b.CopyToDevice(p, unsafe.Pointer(unsafe.SliceData(memory)), len(memory), b.stream), b.SyncStream(b.stream))
	}
	t.failure = errors.Join(t.failure, err)
	return p
}

func (t *table) add(b *bench, k int, c gpu.Column, values []byte, host sorter.Column[int]) {
	t.theirs.values[k] = t.up(b, values)
	c.Values, c.Validity = gpu.Ptr(t.theirs.values[k]), gpu.Ptr(t.theirs.validity[k])
	t.device, t.host = append(t.device, c), append(t.host, host)
}

// nulls draws a validity bitmap, with a tenth of the rows null.
func (t *table) nulls(b *bench, k, n int) []byte {
	bits := drawn(n/8+1, func(r *rand.Rand) (v byte) {
		for i := range 8 {
			if r.IntN(10) > 0 {
				v |= 1 << i
			}
		}
		return v
	})
	t.theirs.validity[k] = t.up(b, bits)
	return bits
}

func (b *bench) texts(name string, n int, scheme string) *table {
	t := &table{name: name, kind: 2}
	hosts := []string{""}
	if scheme != "" {
		hosts = []string{"a.example/", "b.example/", "shop.example/", "news.example/", "example.org/", "example.net/", "cdn.example/", "m.example/"}
	}
	texts := drawn(n, func(r *rand.Rand) string {
		text := append(make([]byte, 0, 64), scheme...)
		text = append(text, hosts[r.IntN(len(hosts))]...)
		for range 8 + r.IntN(25) {
			text = append(text, "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)])
		}
		return string(text)
	})
	offsets, at := make([]byte, 0, 4*n+4), 0
	for _, text := range texts {
		offsets = binary.LittleEndian.AppendUint32(offsets, uint32(at))
		at += len(text)
	}
	offsets = binary.LittleEndian.AppendUint32(offsets, uint32(at))
	if at > math.MaxUint32 {
		t.failure = fmt.Errorf("%d bytes of texts", at)
		return t
	}
	all := make([]byte, 0, at)
	for _, text := range texts {
		all = append(all, text...)
	}
	t.theirs.offsets, t.theirs.bytes = t.up(b, offsets), uint64(at)
	t.add(b, 0, gpu.Column{Type: gpu.Text32, Offsets: gpu.Ptr(t.theirs.offsets), Bytes: at}, all, sorter.AscOf(texts))
	return t
}

// rowsByColumns times orders of rows by columns that are on the device.
func rowsByColumns() error {
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Printf("%s, driver %d, CUB %d, %d processors; ms, median (least–most) of %d in turns, of the CPU engine of 2\n\n", b.info.Name, b.info.Driver, b.version(), runtime.GOMAXPROCS(0), *reps)
	fmt.Println("| columns | rows | ours | CUB's merge sort by a comparison | ratio | CPU engine | ratio | the columns moved |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, n := range ints(*columnsN) {
		for _, make := range tables {
			t := make(b, n)
			err := t.failure
			if err == nil {
				err = b.columnsRow(t, n)
			}
			for _, p := range t.held {
				err = errors.Join(err, b.Free(p))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			runtime.GC()
		}
	}
	return nil
}

func (b *bench) columnsRow(t *table, n int) error {
	order, bytes := cuda.Ptr(0), uint64(0)
	tmp := cuda.Ptr(0)
	theirs := func() int32 { return b.theirColumns(tmp, &bytes, t.kind, &t.theirs, order, uint64(n), b.stream) }
	if code := theirs(); code != 0 {
		return fmt.Errorf("CUB failed with %d", code)
	}
	for _, p := range []struct {
		at    *cuda.Ptr
		bytes int
	}{{&order, 4 * n}, {&tmp, int(bytes)}} {
		var err error
		if *p.at, err = b.Alloc(p.bytes); err != nil {
			return err
		}
		t.held = append(t.held, *p.at)
	}
	ours := func() error { return b.ours.OrderColumnsDevice(t.device, n, gpu.Ptr(order), 0) }
	got, peer, want := make([]uint32, n), make([]uint32, n), make(perm.Perm, n)
	var byCPU []float64
	host := clocked(func() error {
		_, err := sorter.RowsBy(n, t.host...).Order(sorter.On(sorter.CPU()), sorter.Into(want))
		return err
	})
	for range 3 {
		took, err := host()
		if err != nil {
			return err
		}
		byCPU = append(byCPU, took)
	}
	byCPU = byCPU[1:]
	if err := errors.Join(b.Memset32(order, 0xdbdbdbdb, n, b.stream), b.SyncStream(b.stream), ours(), b.fetch(got, order)); err != nil {
		return err
	}
	if code := theirs(); code != 0 {
		return fmt.Errorf("CUB failed with %d", code)
	}
	if err := b.fetch(peer, order); err != nil {
		return err
	}
	if !slices.Equal(got, want) || !slices.Equal(peer, want) {
		return errors.New("wrong order")
	}
	sorted, err := t.room(b, n)
	if err != nil {
		return err
	}
	if err := ours(); err != nil {
		return err
	}
	move := func() error { return b.ours.GatherColumnsDevice(gpu.Ptr(order), n, t.device, sorted) }
	moved, err := inTurns(math.Inf(1), clocked(move))
	if err != nil {
		return err
	}
	times, err := inTurns(math.Inf(1), clocked(ours), func() (float64, error) { return b.timeOnce(theirs) })
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %s | %s | %.2f | %s | %.2f | %s |\n", t.name, n, spread(times[0]), spread(times[1]), median(times[1])/median(times[0]), spread(byCPU), median(byCPU)/median(times[0]), spread(moved[0]))
	return nil
}

// room returns columns for all n rows of the table.
func (t *table) room(b *bench, n int) ([]gpu.Column, error) {
	var failed error
	take := func(bytes int) gpu.Ptr {
		p, err := b.Alloc(bytes)
		t.held, failed = append(t.held, p), errors.Join(failed, err)
		return gpu.Ptr(p)
	}
	var sorted []gpu.Column
	for _, c := range t.device {
		to := gpu.Column{Type: c.Type, Bytes: c.Bytes, Values: take(max(c.Bytes, 8*n))}
		if c.Offsets != 0 {
			to.Offsets = take(4*n + 4)
		}
		if c.Validity != 0 {
			to.Validity = take(n/8 + 4)
		}
		sorted = append(sorted, to)
	}
	return sorted, failed
}
