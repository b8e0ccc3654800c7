package loops

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/processor"
)

// line is memory for elements of up to 64 bytes, which whole lines are stored to.
type line [64]byte

// alignedLines returns n lines that begin at a multiple of their length.
func alignedLines(n int) []line {
	memory := make([]byte, 64*(n+1))
	at := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % 64
	return unsafe.Slice((*line)(unsafe.Pointer(&memory[at])), n)
}

// placed is elements of a size, and what moves them by their codes.
type placed[C Code] struct {
	codes, sorted []C
	least         C
	shift         uint64
	table         []uint16
	next          []uint32
	elements, dst []line
	size          int
}

// drawPlaced draws n elements for as many places.
func drawPlaced[C Code](r *rand.Rand, n, size int) *placed[C] {
	const cells, buckets = 16, 5
	p := &placed[C]{least: C(r.Uint32N(1000)), shift: uint64(r.IntN(20)), size: size, sorted: make([]C, n), elements: alignedLines(n), dst: alignedLines(n)}
	var counts [buckets]uint32
	for range cells {
		p.table = append(p.table, uint16(r.IntN(buckets)))
	}
	for i := range n {
		cell := r.IntN(cells)
		p.codes = append(p.codes, p.least+C(cell)<<p.shift+C(r.Uint32N(1<<p.shift)))
		counts[p.table[cell]]++
		for j := range p.elements[i] {
			p.elements[i][j] = byte(r.Uint32())
		}
	}
	at := uint32(0)
	for _, count := range counts {
		p.next = append(p.next, at)
		at += count
	}
	return p
}

func (p *placed[C]) bytes(lines []line) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines)*64)
}

// twin is the definition of [Place] and of [PlaceIndices].
func (p *placed[C]) twin(first uint32, places int) (next []uint32, dst []byte, sorted []C, numbers []uint32, ok bool) {
	next, dst, sorted, numbers = slices.Clone(p.next), make([]byte, len(p.codes)*64), make([]C, len(p.codes)), make([]uint32, len(p.codes))
	from := p.bytes(p.elements)
	for i, c := range p.codes {
		bucket := p.table[(c-p.least)>>p.shift]
		at := int(next[bucket])
		if at >= places {
			return next, dst, sorted, numbers, false
		}
		copy(dst[at*p.size:(at+1)*p.size], from[i*p.size:])
		sorted[at], numbers[at] = c, first+uint32(i)
		next[bucket]++
	}
	return next, dst, sorted, numbers, true
}

// TestPlace moves elements of all sizes by all loops that there are.
func TestPlace(t *testing.T) {
	testPlace[uint32](t)
	testPlace[uint64](t)
}

func testPlace[C Code](t *testing.T) {
	r, code := rand.New(rand.NewPCG(51, 52)), unsafe.Sizeof(C(0))
	for _, has := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		undo := Restrict(has[0], has[1], true)
		inLoops, lines := has[0] && processor.BMI2, has[1] && processor.AVX512
		if runtime.GOARCH != "amd64" { // no loops are in assembly
			inLoops, lines = false, false
		}
		for size := 4; size <= 72; size += 4 {
			if loop := PlaceOf(uintptr(size), code); (loop != nil) != (inLoops && size%8 == 0 && size <= 48) {
				t.Errorf("a loop for elements of %d bytes: %t", size, loop != nil)
			} else if loop != nil {
				checkPlace[C](t, r, size, loop)
			}
		}
		if loop := PlaceLinesOf(code); (loop != nil) != (inLoops || lines) {
			t.Errorf("a loop for whole lines: %t", loop != nil)
		} else if loop != nil {
			checkPlace[C](t, r, 64, loop)
		}
		if loop := PlaceIndicesOf(code); (loop != nil) != inLoops {
			t.Errorf("a loop for numbers: %t", loop != nil)
		} else if loop != nil {
			checkPlace[C](t, r, 4, func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, _, dst, dstCodes unsafe.Pointer, places int) bool {
				return loop(codes, n, least, shift, table, next, 77, dst, dstCodes, places)
			})
		}
		undo()
	}
}

// checkPlace holds a loop to the definition. A loop for elements of 4 bytes places numbers from 77 on.
func checkPlace[C Code](t *testing.T, r *rand.Rand, size int, loop Place) {
	t.Helper()
	for _, n := range []int{1, 2, 7, 64, 301} {
		p := drawPlaced[C](r, n, size)
		places := n - r.IntN(2)*r.IntN(n)
		next, dst, sorted, numbers, want := p.twin(77, places)
		ok := loop(unsafe.Pointer(unsafe.SliceData(p.codes)), n, uint64(p.least), p.shift, &p.table[0], &p.next[0], unsafe.Pointer(unsafe.SliceData(p.elements)),
			unsafe.Pointer(unsafe.SliceData(p.dst)), unsafe.Pointer(unsafe.SliceData(p.sorted)), places)
		if size == 4 {
			dst = make([]byte, len(dst))
			copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 4*n))
		}
		if ok != want || !slices.Equal(p.sorted, sorted) || !bytes.Equal(p.bytes(p.dst), dst) || ok && !slices.Equal(p.next, next) {
			t.Fatalf("%d elements of %d bytes to %d places: %t, want %t", n, size, places, ok, want)
		}
	}
}
