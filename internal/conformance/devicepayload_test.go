package conformance_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// movingEngine is the plain engine that moves the elements that it is offered, in
// pieces of 777 places. Of pieces with ties it emits the positions instead, first.
type movingEngine struct {
	plainEngine
	offered       bool
	moved         atomic.Int64 // elements
	settled, gone bool
}

func (e *movingEngine) Order(ctx context.Context, job *engine.Job) error {
	el := job.Elements
	if e.offered = el != nil; !e.offered {
		return e.plainEngine.Order(ctx, job)
	}
	all, codes := make([]byte, job.N*el.Size), make([]uint64, job.N)
	err := job.Loop.Run("pull", job.N, engine.Block, func(_, lo, hi int) {
		pullBlock(job, codes, lo, hi)
		el.Pull(all[lo*el.Size:hi*el.Size], lo)
	})
	if err != nil {
		return err
	}
	order := orderOf(job, codes)
	ties := func(i int) bool { return job.Ties != nil && i < job.N && engine.Ties(job.Ties).Tied(i) }
	var free [][2]int
	for lo := 0; lo < job.N; lo += 777 {
		hi, tied := min(lo+777, job.N), false
		for i := lo; i <= hi; i++ {
			tied = tied || ties(i)
		}
		if tied {
			job.Emit(lo, order[lo:hi])
		} else {
			free = append(free, [2]int{lo, hi})
		}
	}
	if e.settled = true; el.Settle() != nil {
		return errors.New("not settled")
	}
	job.Commit()
	slices.Reverse(free)
	for _, p := range free {
		if e.err != nil && int(e.moved.Load()) >= e.failAt {
			e.gone = true
			return e.err
		}
		var piece []byte
		for _, at := range order[p[0]:p[1]] {
			piece = append(piece, all[int(at)*el.Size:][:el.Size]...)
		}
		el.Push(p[0], piece)
		e.moved.Add(int64(p[1] - p[0]))
		clear(piece)
	}
	return nil
}

// quote holds no pointers.
type quote struct {
	price float32
	id    [12]byte // whose first bytes hardly ever tell two apart
	at    uint64
}

func quotes(n int) []quote {
	r, s := dist.Rand(uint64(n)), make([]quote, n)
	for i := range s {
		s[i].price, s[i].at = float32(r.IntN(n/2+1)), uint64(i)
		for k := range s[i].id {
			s[i].id[k] = byte(r.IntN(256))
		}
		if r.IntN(5000) == 0 {
			s[i].id = [12]byte{1, 2, 3, 4, 5, 6, 7, 8, byte(r.IntN(3))}
		}
	}
	return s
}

func (q quote) long() [16]byte { return [16]byte(append(q.id[:], 0, 0, 0, byte(q.at%2))) }

// payloadSorts are sorts whose elements an engine is offered, or not.
var payloadSorts = []struct {
	name    string
	offered bool
	sort    func(s []quote, opts ...sorter.Option) error
	compare func(a, b quote) int
}{
	{"codes decide", true,
		func(s []quote, opts ...sorter.Option) error {
			return sorter.Sort(s, func(q quote) float32 { return q.price }, opts...)
		},
		func(a, b quote) int { return cmp.Compare(a.price, b.price) }},
	{"a few prefixes tie", true,
		func(s []quote, opts ...sorter.Option) error { return sorter.Sort(s, quote.long, opts...) },
		func(a, b quote) int { x, y := a.long(), b.long(); return bytes.Compare(x[:], y[:]) }},
	{"several levels", false,
		func(s []quote, opts ...sorter.Option) error {
			return sorter.By(sorter.Asc(func(q quote) float64 { return float64(q.price) }), sorter.Asc(quote.long)).Sort(s, opts...)
		},
		func(a, b quote) int {
			x, y := a.long(), b.long()
			return cmp.Or(cmp.Compare(a.price, b.price), bytes.Compare(x[:], y[:]))
		}},
}

// TestEngineMovesElements has an engine move elements.
func TestEngineMovesElements(t *testing.T) {
	for _, c := range payloadSorts {
		for _, n := range []int{2, 776, 778, testkit.Pick(12_000, 30_000)} {
			in := quotes(n)
			want := slices.SortedStableFunc(slices.Values(in), c.compare)
			for _, opts := range [][]sorter.Option{nil, {sorter.Workers(1)}} {
				e, s := &movingEngine{}, slices.Clone(in)
				err := c.sort(s, append(opts, sorter.On(e), sorter.Stable())...)
				name := fmt.Sprintf("%s, n=%d, %d moved", c.name, n, e.moved.Load())
				checkSame(t, name, err, s, want)
				if e.offered != c.offered || c.offered && n > 10_000 && e.moved.Load() < int64(n/4) {
					t.Errorf("%s: offered %v", name, e.offered)
				}
			}
		}
	}
	e := &movingEngine{}
	pointers := mapped(quotes(3000), func(q quote) *quote { return &q })
	want := slices.SortedStableFunc(slices.Values(pointers), func(a, b *quote) int { return cmp.Compare(a.price, b.price) })
	err := sorter.Sort(pointers, func(q *quote) float32 { return q.price }, sorter.On(e), sorter.Stable())
	checkSame(t, "elements with pointers", err, pointers, want)
	if e.offered {
		t.Error("elements with pointers are offered")
	}
}

// TestEngineFailsWhileElementsAreWritten loses the engine after it has moved some
// elements over others: the slice is restored, and a cancelled context changes
// nothing any more.
func TestEngineFailsWhileElementsAreWritten(t *testing.T) {
	lost := errors.New("lost")
	in, crew := quotes(30_000), testkit.NewCrew()
	for _, c := range payloadSorts[:2] {
		for _, failAt := range []int{0, 1, 15_000} {
			s := slices.Clone(in)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			e := &movingEngine{plainEngine: plainEngine{failAt: failAt, err: lost}}
			err := c.sort(s, sorter.On(e), sorter.Workers(3), sorter.WithContext(ctx))
			name := fmt.Sprintf("%s, lost after %d", c.name, failAt)
			if !errors.Is(err, lost) || !e.gone {
				t.Errorf("%s: error %v", name, err)
			}
			checkSame(t, name, nil, s, in)
			crew.CheckAlone(t, name)
		}
	}
}

// TestEngineMovesPairs has an engine move keys with their values, and lose them.
func TestEngineMovesPairs(t *testing.T) {
	in := quotes(testkit.Pick(10_000, 30_000))
	checkMovedPairs(t, mapped(in, func(q quote) float32 { return q.price }), mapped(in, func(q quote) uint64 { return q.at }), true)
	checkMovedPairs(t, mapped(in, func(q quote) int64 { return int64(q.price) }), mapped(in, func(q quote) uint8 { return uint8(q.at) }), true)
	checkMovedPairs(t, mapped(in, quote.long), mapped(in, func(q quote) [12]byte { return q.id }), true)
	checkMovedPairs(t, mapped(in, func(q quote) float32 { return q.price }), mapped(in, func(q quote) *quote { return &q }), false)
	checkMovedPairs(t, mapped(in, func(q quote) string { return string(q.id[:]) }), mapped(in, func(q quote) uint64 { return q.at }), false)
}

func checkMovedPairs[K sorter.Key, V comparable](t *testing.T, keys []K, values []V, offered bool) {
	t.Helper()
	name := fmt.Sprintf("%T, %T", keys, values)
	order, err := sorter.OrderKeys(keys, sorter.On(sorter.CPU()), sorter.Stable())
	if err != nil {
		t.Fatal(err)
	}
	e, k, v := &movingEngine{}, slices.Clone(keys), slices.Clone(values)
	err = sorter.SortPairs(k, v, sorter.On(e), sorter.Stable())
	checkSame(t, name+": values", err, v, mapped(order, func(at uint32) V { return values[at] }))
	checkBits(t, name+": keys", k, mapped(order, func(at uint32) K { return keys[at] }))
	if e.offered != offered || offered && e.moved.Load() < int64(len(keys)/4) {
		t.Errorf("%s: offered %v, %d moved", name, e.offered, e.moved.Load())
	}
	lost := errors.New("lost")
	e, k, v = &movingEngine{plainEngine: plainEngine{failAt: len(keys) / 5, err: lost}}, slices.Clone(keys), slices.Clone(values)
	if err := sorter.SortPairs(k, v, sorter.On(e)); !errors.Is(err, lost) {
		t.Errorf("%s: error %v", name, err)
	}
	checkSame(t, name+": values of a lost engine", nil, v, values)
	checkBits(t, name+": keys of a lost engine", k, keys)
}

// checkBits is checkSame of keys, which need not be comparable.
func checkBits[K sorter.Key](t *testing.T, name string, got, want []K) {
	t.Helper()
	if d := oracle.Diff(got, want, oracle.Same[K]); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}
