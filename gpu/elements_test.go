//go:build linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestElements sorts jobs that offer their elements: those are sent if the device has words
// and memory for them, and come back in the stable order of the codes, each place once.
// Otherwise, and where codes tie and the library asks for ties, positions come, before
// ties are settled and elements come.
func TestElements(t *testing.T) {
	e := open(t)
	for _, c := range []elementsCase{
		{n: 33, size: 8, moves: true},
		{n: 1000, size: 4, moves: true},
		{n: engine.Block, size: costmodel.MaxMovedSize, moves: true},
		{n: engine.Block + 1, size: 12, moves: true},
		{n: kernels.RadixTile + 1, size: 24, moves: true},
		{n: 40_000, size: 40, moves: true}, // several slots
		{n: 1000, size: 6},
		{n: 1000, size: 16, least: 16_001},
		{n: 1000, size: 0},
		{n: 1000, size: costmodel.MaxMovedSize + 4},
		{n: 1000, size: 16, ties: 900},
		{n: 40_000, size: 40, ties: 1, moves: true}, // four
		{n: 40_000, size: costmodel.MaxMovedSize, memory: 4 << 20},
		{n: 1000, size: costmodel.MaxMovedSize, moves: true}, // by the slots of a larger one
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			e.devs[0].Limit, e.settings.MoveBytes = c.memory, max(c.least, 1)
			defer func() { e.devs[0].Limit = 0 }()
			if !testkit.Long() && c.n > 10_000 && c.ties == 0 {
				t.Skip("seconds under the thread sanitizer")
			}
			testElements(t, e, c)
		})
	}
}

// elementsCase is a job that offers elements.
type elementsCase struct {
	n, size int
	ties    int  // codes that equal another, which the library asks for; 0: it does not
	memory  int  // limit, 0: none
	least   int  // bytes that are sent
	moves   bool // the device moves the elements
}

func testElements(t *testing.T, e *Engine, c elementsCase) {
	r := gputest.Drawing(t)
	list := make([]uint64, c.n)
	for i := range list {
		if list[i] = r.Uint64(); i > 0 && i <= c.ties {
			list[i] = list[0]
		}
	}
	in, out := make([]byte, c.n*c.size), bytes.Repeat([]byte{0xa5}, c.n*c.size)
	for i := range in {
		in[i] = byte(r.Uint32())
	}
	order, settled := make([]uint32, c.n), false
	pulled, pushed, emitted := make([]bool, c.n), make([]bool, c.n), make([]bool, c.n)
	job := &engine.Job{N: c.n, Bits: 64, Env: new(engine.Env),
		Codes64: func(dst []uint64, lo int) { copy(dst, list[lo:]) },
		Emit: func(lo int, part []uint32) {
			if settled {
				t.Error("a position comes after Settle")
			}
			mark(t, emitted, lo, len(part))
			copy(order[lo:], part)
		},
		Elements: &engine.Elements{
			Size: c.size,
			Pull: func(dst []byte, lo int) {
				mark(t, pulled, lo, len(dst)/c.size)
				copy(dst, in[lo*c.size:])
			},
			Settle: func() error { settled = true; return nil },
			Push: func(lo int, elements []byte) {
				if !settled {
					t.Error("an element comes before Settle")
				}
				mark(t, pushed, lo, len(elements)/c.size)
				copy(out[lo*c.size:], elements)
			},
		},
	}
	job.Loop.Workers = 3
	if c.ties > 0 {
		job.Ties = make([]uint32, engine.TieWords(c.n))
	}
	if err := e.Order(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for i, p := range gputest.Stable(list) {
		tied := c.ties > 0 && (i > 0 && list[order[i-1]] == list[p] && emitted[i-1] || i+1 < c.n && emitted[i+1] && list[order[i+1]] == list[p])
		switch {
		case emitted[i] == pushed[i], tied && pushed[i]:
			t.Fatalf("place %d: position %v, element %v, tied %v", i, emitted[i], pushed[i], tied)
		case emitted[i] && order[i] != p:
			t.Fatalf("place %d: position %d, want %d", i, order[i], p)
		case pushed[i] && (!pulled[i] || !bytes.Equal(out[i*c.size:][:c.size], in[int(p)*c.size:][:c.size])):
			t.Fatalf("place %d: pulled %v, or not element %d", i, pulled[i], p)
		}
	}
	if moved, left := slices.Contains(pushed, true), slices.Contains(emitted, true); moved != c.moves || left != (c.ties > 0 || !c.moves) {
		t.Errorf("elements moved: %v, left: %v", moved, left)
	}
}

// mark notes that n elements from lo on come.
func mark(t *testing.T, seen []bool, lo, n int) {
	for i := lo; i < lo+n; i++ {
		if seen[i] {
			t.Errorf("element %d twice", i)
		}
		seen[i] = true
	}
}

// TestElementsInOrder has elements in order stay where they are.
func TestElementsInOrder(t *testing.T) {
	e := open(t)
	e.settings.MoveBytes = 1
	job := &engine.Job{N: 20_000, Bits: 32, Env: new(engine.Env), Emit: func(int, []uint32) {}, Codes32: func(dst []uint32, lo int) {
		for i := range dst {
			dst[i] = uint32(lo + i)
		}
	}, Elements: &engine.Elements{Size: 8, Pull: func(dst []byte, _ int) { clear(dst) }, Push: func(int, []byte) { t.Error("an element is pushed") }}}
	if err := e.Order(t.Context(), job); err != nil || job.Trace.Shape != "sorted" {
		t.Errorf("error %v, shape %q", err, job.Trace.Shape)
	}
}
