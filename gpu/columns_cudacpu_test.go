//go:build cudacpu && linux && amd64

package gpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cudacpu"
)

// TestFaultsOfColumns has every call of the driver fail that orders and moves of columns make: they return an error or
// the right result, and leave nothing allocated.
func TestFaultsOfColumns(t *testing.T) {
	walk(t, func(t *testing.T, w *injected) {
		e := newEngine(t)
		d := &drawing{Rand: rand.New(rand.NewPCG(1, 2)), t: t, c: e.devs[0].Context, n: 400}
		byText, isNull, compare := Column{Type: Text32}, func(int) bool { return false }, [2]func(a, b int, desc bool) int{}
		byText, compare[1], _, _ = d.texts(byText, d.n, isNull, "")
		at := make([]byte, d.n)
		for i := range at {
			at[i] = byte(d.IntN(3))
		}
		entries := Column{Type: Uint8, Values: d.up([]byte{9, 7, 8})}
		cols := []Column{{Type: Uint8, Values: d.up(at), Dictionary: &entries, Entries: 3}, byText}
		rank := []int{2, 0, 1}
		want := make([]uint32, d.n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			if at[a] != at[b] {
				return rank[at[a]] - rank[at[b]]
			}
			return compare[1](int(a), int(b), false)
		})
		order, ties := d.up(make([]byte, 4*d.n)), d.up(make([]byte, d.n/8+4))
		to := []Column{{Type: Uint8, Values: d.up(make([]byte, d.n))}, {Type: Text32, Values: d.up(make([]byte, byText.Bytes)), Bytes: byText.Bytes, Offsets: d.up(make([]byte, 4*d.n+4))}}
		err := w.during(func() error {
			return steps(
				func() error { return e.OrderColumnsDevice(cols, d.n, order, ties) },
				func() error { return e.GatherColumnsDevice(order, d.n, cols, to) },
			)
		})
		if err != nil && (w.hit == "" || !isDeviceError(err)) {
			t.Errorf("%s, call %d: error %v", w.hit, w.k, err)
		}
		if err == nil {
			moved := make([]byte, d.n)
			for i, row := range want {
				moved[i] = at[row]
			}
			if got := d.down(order, d.n); !slices.Equal(got, want) {
				t.Fatalf("%s, call %d: wrong order", w.hit, w.k)
			}
			if got := d.bytesOf(to[0].Values, d.n); !bytes.Equal(got, moved) {
				t.Fatalf("%s, call %d: wrong values", w.hit, w.k)
			}
		}
		for _, p := range d.held {
			if err := d.c.Free(p); err != nil {
				t.Log(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Log(err)
		}
	})
	cudacpu.Seed(1)
}
