//go:build cudacpu && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// tiedRow is a row of columns of few values.
type tiedRow struct {
	a, b int64
	text string
}

func tiedRows(n int) (rows []tiedRow, order perm.Perm) {
	rows = make([]tiedRow, n)
	for i := range rows {
		rows[i] = tiedRow{int64(i % 3), int64(i%7) << 40, fmt.Sprint("what all of them share ", i*7919%50)}
	}
	order = perm.Identity(n)
	slices.SortStableFunc(order, func(i, j uint32) int {
		x, y := rows[i], rows[j]
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.text, y.text))
	})
	return rows, order
}

// counted returns an ordering by all columns, that counts the calls of its key functions.
func counted(called func(column int)) sorter.Ordering[tiedRow] {
	return sorter.By(
		sorter.Asc(func(r tiedRow) int64 { called(0); return r.a }),
		sorter.Asc(func(r tiedRow) int64 { called(1); return r.b }),
		sorter.Asc(func(r tiedRow) string { called(2); return r.text }),
	)
}

// TestFaultsOfFurther fails every call of an order whose ties the device breaks, on an engine that was asked for and on one that
// the planner chose: the order is right, or the error of the device. Key functions are called once.
func TestFaultsOfFurther(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	rows, want := tiedRows(2500)
	broken := 0
	walk(t, func(t *testing.T, w *injected) {
		for _, insisting := range []bool{true, false} {
			e := newEngine(t)
			e.settings.LeastTied = 1
			automatic.Engine = e
			var st sorter.Stats
			opts := []sorter.Option{sorter.Workers(3), sorter.Report(&st), sorter.Use(sorter.IndexGather)}
			if insisting {
				opts = append(opts, sorter.On(e))
			}
			var calls [3]atomic.Int64
			var order perm.Perm
			err := w.during(func() (err error) {
				order, err = counted(func(column int) { calls[column].Add(1) }).Order(rows, opts...)
				return err
			})
			automatic.Engine = nil
			switch {
			case err == nil && (!slices.Equal(order, want) || st.Ties != len(rows)):
				t.Fatalf("%s, call %d: wrong order, %+v", w.hit, w.k, st)
			case err != nil && (!insisting || !isDeviceError(err)):
				t.Fatalf("%s, call %d: error %v", w.hit, w.k, err)
			case err == nil && !insisting && w.hit != "" && st.Fallback == nil && st.Engine == "cpu":
				t.Fatalf("%s, call %d: nobody was told: %+v", w.hit, w.k, st)
			}
			for i := range calls {
				if n := calls[i].Load(); n > int64(len(rows)) {
					t.Fatalf("%s, call %d: %d calls of the %d. key function", w.hit, w.k, n, i+1)
				}
			}
			if err == nil && !tiesOnHost(&st) {
				broken++
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if broken == 0 {
		t.Error("no device has broken all ties")
	}
}

// tiesOnHost reports whether the host has broken ties.
func tiesOnHost(st *sorter.Stats) bool {
	return slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "ties" })
}

// TestFurtherStops has key functions of each column panic and contexts end in them.
func TestFurtherStops(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	rows, want := tiedRows(5000)
	before, crew := cudacpu.Holding(), testkit.NewCrew()
	for _, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Mixed} {
		cudacpu.SetMode(mode)
		defer cudacpu.SetMode(cudacpu.Eager)
		e := newEngine(t)
		e.settings.LeastTied = 1
		for column := range 3 {
			for _, panics := range []bool{true, false} {
				ctx, cancel := context.WithCancel(t.Context())
				var calls atomic.Int64
				by := counted(func(of int) {
					switch {
					case of != column || calls.Add(1) != 3000:
					case panics:
						panic("key")
					default:
						cancel()
					}
				})
				var err error
				value := func() (value any) {
					defer func() { value = recover() }()
					_, err = by.Order(rows, sorter.On(e), sorter.WithContext(ctx), sorter.Workers(3))
					return nil
				}()
				if cancel(); panics && value != "key" || !panics && !errors.Is(err, context.Canceled) {
					t.Errorf("column %d: error %v, panic %v", column, err, value)
				}
			}
		}
		order, err := counted(func(int) {}).Order(rows, sorter.On(e))
		if err != nil || !slices.Equal(order, want) {
			t.Errorf("error %v, or wrong order, of the next sort", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	crew.CheckAlone(t, "orders that stopped")
	if held := cudacpu.Holding(); held != before {
		t.Errorf("%+v are held, %+v were before", held, before)
	}
}

// TestFurtherMemory orders in any device memory: the device breaks ties from some memory on, and then never lacks any.
func TestFurtherMemory(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	r := rand.New(rand.NewPCG(9, 10))
	for i := range testkit.Pick(4, 20) {
		n := 5000 + r.IntN(40_000)
		var cols []sorter.Column[int]
		for k := range 3 {
			v, values := make([]uint64, n), 1+r.IntN(n)
			for i := range v {
				v[i] = uint64(r.IntN(values)) << 45
			}
			if cols = append(cols, sorter.AscOf(v)); k == 0 {
				cols = append(cols, sorter.DescOf(v)) // which breaks no ties
			}
		}
		by := sorter.RowsBy(n, cols...)
		var all, first [2]perm.Runs
		want, err := by.Order(sorter.On(sorter.CPU()), sorter.MarkRuns(&all[0]), sorter.MarkRunsBy(1, &first[0]))
		if err != nil {
			t.Fatal(err)
		}
		onDevice := func(limit int) bool {
			e := newEngine(t)
			defer e.Close()
			e.settings.LeastTied, e.devs[0].Limit = 1, limit
			var st sorter.Stats
			order, err := by.Order(sorter.On(e), sorter.Report(&st), sorter.MarkRuns(&all[1]), sorter.MarkRunsBy(1, &first[1]))
			for k := range n {
				if all[0].Begins(k) != all[1].Begins(k) || first[0].Begins(k) != first[1].Begins(k) {
					t.Fatalf("case %d, %d rows in %d bytes: other runs at place %d", i, n, limit, k)
				}
			}
			if err != nil || !slices.Equal(order, want) {
				t.Fatalf("case %d, %d rows in %d bytes: error %v, or wrong order", i, n, limit, err)
			}
			return st.Rounds > 0 && !tiesOnHost(&st)
		}
		low, high := 1<<20+40*n, 64<<20
		if !onDevice(high) || onDevice(low) {
			t.Fatalf("case %d: the host breaks ties of %d rows, or the device in %d bytes", i, n, low)
		}
		for high-low > 4096 {
			if mid := (low + high) / 2; onDevice(mid) {
				high = mid
			} else {
				low = mid
			}
		}
		if most := 300*n + 8<<20; high > most {
			t.Errorf("case %d: %d rows need %d bytes", i, n, high)
		}
	}
}

// TestFurtherWithElements sorts elements that the device moves, whose ties it breaks: all of them, or those in the first further
// codes.
func TestFurtherWithElements(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	testFurtherWithElements(t, false, func(a, b byte, c uint32) (key [32]byte) {
		key[3], key[20] = a, b
		binary.BigEndian.PutUint32(key[28:], c)
		return key
	})
	testFurtherWithElements(t, true, func(a, b byte, c uint32) (key [64]byte) {
		key[3], key[20] = a, b
		binary.BigEndian.PutUint32(key[60:], c)
		return key
	})
}

func testFurtherWithElements[K [32]byte | [64]byte](t *testing.T, byHost bool, key func(a, b byte, c uint32) K) {
	type element struct {
		key K
		at  int
	}
	in, r := make([]element, 20_000), rand.New(rand.NewPCG(11, 12))
	for i := range in {
		in[i] = element{key(byte(r.IntN(2)), byte(r.IntN(3)), uint32(i*7919%len(in))), i}
	}
	text := func(k K) string { return string(unsafe.Slice((*byte)(unsafe.Pointer(&k)), unsafe.Sizeof(k))) }
	want := slices.SortedStableFunc(slices.Values(in), func(a, b element) int { return strings.Compare(text(a.key), text(b.key)) })
	e := newEngine(t)
	e.settings.LeastTied, e.settings.MoveBytes = 1, 1
	var st sorter.Stats
	err := sorter.Sort(in, func(x element) K { return x.key }, sorter.On(e), sorter.Stable(), sorter.Report(&st))
	gathered := slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "gather" })
	if err != nil || !slices.Equal(in, want) || tiesOnHost(&st) != byHost || gathered != byHost || st.Ties != len(in) {
		t.Errorf("error %v, or wrong order, %+v", err, st)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
