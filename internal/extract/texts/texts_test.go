package texts

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/testkit"
)

// lengths of texts are about those that are compared at a time.
var lengths = []int{0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64, 255, 256, 257, 300, 511, 512, 513}

// TestCommon compares common with a loop over bytes, for texts that differ at any place.
func TestCommon(t *testing.T) {
	r := dist.Rand(21)
	for _, n := range lengths {
		for at := range n + 1 {
			a := []byte(strings.Repeat("ab", 2*n))[:n+r.IntN(3)*r.IntN(n+1)]
			b := slices.Clone(a[:n])
			want := at
			if at < n {
				b[at] ^= 1 << r.IntN(8)
			} else {
				want = n
			}
			skip := r.IntN(want + 1)
			if got := Common(string(a), string(b), skip); got != want {
				t.Fatalf("%d bytes, from %d on: %d are common, want %d", n, skip, got, want)
			}
			if got := Common(string(b), string(a), want); got != want {
				t.Fatalf("%d bytes, of which %d are known: %d are common", n, want, got)
			}
			if got := Shared(string(a), string(b)); got != want {
				t.Fatalf("%d bytes: %d are shared, want %d", n, got, want)
			}
		}
	}
	long := strings.Repeat("x", 2*MostShared)
	if got := Shared(long, strings.Clone(long)); got != MostShared {
		t.Errorf("%d bytes of long texts are shared", got)
	}
	if got := Common(long, long[:100], 0); got != 100 { // not read
		t.Errorf("%d bytes are common of 100", got)
	}
}

// TestSortFew compares SortFew with a stable sort.
func TestSortFew(t *testing.T) {
	r := dist.Rand(22)
	for range testkit.Pick(4000, 40_000) {
		depth, n := r.IntN(10), 1+r.IntN(cpu.Few)
		texts, order := make([]string, n), make([]uint32, n)
		for i := range texts {
			texts[i], order[i] = strings.Repeat("p", depth)+testkit.Text(r), uint32(100-i)
		}
		desc, before := r.IntN(2) == 0, slices.Clone(texts)
		compare := func(a, b uint32) int {
			if desc {
				a, b = b, a
			}
			return strings.Compare(before[100-a], before[100-b])
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, compare)
		same := SortFew(texts, order, depth, desc)
		for i := range order {
			if order[i] != want[i] || texts[i] != before[100-want[i]] || (i > 0 && compare(want[i-1], want[i]) == 0) != (same>>i&1 != 0) {
				t.Fatalf("%q: %v, want %v, same %b", before, order, want, same)
			}
		}
	}
}

// TestSameTexts compares runs of equal texts with a loop.
func TestSameTexts(t *testing.T) {
	r := dist.Rand(24)
	var loop parallel.Loop
	for _, n := range append(slices.Clone(lengths), Long-1, Long, Long+1) {
		for range 12 {
			s := strings.Repeat("k", n)
			keys := make([]string, 1+r.IntN(9))
			want := len(keys)
			for i := range keys {
				if keys[i] = strings.Clone(s); r.IntN(6) == 0 {
					b := []byte(s + "k")
					if b = b[:n+r.IntN(2)]; len(b) > 0 {
						b[r.IntN(len(b))] ^= byte(r.IntN(2))
					}
					keys[i] = string(b)
				}
				if keys[i] != s {
					want = min(want, i)
				}
			}
			if got := Same(&loop, unsafe.Pointer(&keys[0]), unsafe.Sizeof(s), len(keys), s); got != want {
				t.Fatalf("%d bytes: %d of %d are the same, want %d", n, got, len(keys), want)
			}
			if got := Same(&loop, unsafe.Pointer(&keys[0]), unsafe.Sizeof(s), 0, s); got != 0 {
				t.Fatalf("%d of none are the same", got)
			}
		}
	}
}

// TestTieOften samples codes, of which two tie or none.
func TestTieOften(t *testing.T) {
	for _, n := range []int{1, 15, 16, 31, 32, 33, 160, 16 * mostSampled, 40 * mostSampled} {
		codes := make([]uint64, n)
		for i := range codes {
			codes[i] = uint64(i) * 0x9E3779B97F4A7C15
		}
		sample := min(n/16, mostSampled)
		if TieOften(codes) {
			t.Errorf("%d codes without ties tie", n)
		}
		if sample < 2 {
			continue
		}
		step := n / sample
		codes[step*(sample-1)] = codes[0]
		if !TieOften(codes) {
			t.Errorf("%d codes: the first and the last of the sample tie", n)
		}
		codes[step*(sample-1)]++
		codes[1] = codes[0]
		if step > 1 && TieOften(codes) {
			t.Errorf("%d codes: one that is not sampled ties", n)
		}
	}
}

// TestSharedBytes counts the bytes that prefixes share, but no zeros.
func TestSharedBytes(t *testing.T) {
	for _, c := range []struct {
		least, most uint64
		want        int
	}{
		{0x6161616161616161, 0x6161616161616161, 8}, {0x6161616161616161, 0x6161616161616162, 7}, {0x6161616161616161, 0x6261616161616161, 0},
		{0x6100616161616161, 0x6100616161616161, 1}, {0x0061616161616161, 0x0061616161616161, 0}, {0x6161616161616100, 0x6161616161616100, 7},
		{0x6161000000000000, 0x6161610000000000, 2}, {0x61610000000000ff, 0x61610000000000fe, 2},
	} {
		if got := SharedBytes(c.least, c.most); got != c.want {
			t.Errorf("%#x to %#x share %d bytes, want %d", c.least, c.most, got, c.want)
		}
	}
}

// TestFollowing holds the bytes after a common prefix to the bits that its length leaves.
func TestFollowing(t *testing.T) {
	for _, c := range []struct{ window, tail int }{{0, 6}, {1, 6}, {1 << 11, 6}, {1<<12 - 1, 6}, {1 << 12, 5}, {1<<20 - 1, 5}, {1 << 20, 4}} {
		if got := following(c.window); got != c.tail {
			t.Errorf("%d bytes after a prefix of a window of %d, want %d", got, c.window, c.tail)
		}
	}
}

// TestSameMemory counts texts that are the same memory: others may be equal, or begin at the same address.
func TestSameMemory(t *testing.T) {
	s := "a text and more"
	for want, keys := range map[int][]string{0: {s[:3], s}, 2: {s, s, s[:5], s}, 3: {s, s, s}, 1: {s, strings.Clone(s), s}} {
		if got := SameMemory(keys, s); got != want {
			t.Errorf("%q: %d, want %d", keys, got, want)
		}
	}
}

// TestAfter goes on after the bytes that equal codes share: those of the window, where a whole pivot ends in it, and those that the
// code holds.
func TestAfter(t *testing.T) {
	const depth = 2
	for _, c := range []struct {
		text string
		want int // depth after which it ties with others of its code; -1: they are equal
	}{
		{"..pivot", -1}, {"..pivo", -1}, {"..piv", -1}, {"..pivot123456", -1}, {"..pivot1234567", depth + 5 + 6}, {"..pivot12345", -1}, {"..pixot1234567", depth + 2 + 6}, {"..pia", -1}, {"..piaot1234567", depth + 2 + 6},
	} {
		v := PivotOf("..pivot", depth, 5, false)
		codes := make([]uint64, 1)
		v.Codes(codes, []string{c.text}, 0)
		next, more := After(codes[0], depth, v.window, false)
		if !more {
			next = -1
		}
		if next != c.want {
			t.Errorf("%q ties from byte %d on, want %d", c.text, next, c.want)
		}
	}
}

// TestEven holds even codes to comparisons of strings that tie up to a depth: that have the bytes before it in common, or
// that end before and are the same when padded with zeros, of up to 8 bytes.
func TestEven(t *testing.T) {
	r := dist.Rand(22)
	draw := func(bytes int) string {
		s := make([]byte, bytes)
		for i := range s {
			s[i] = "\x00\x00\x01\xff"[r.IntN(4)]
		}
		return string(s)
	}
	for range 100_000 {
		depth := r.IntN(20)
		stem := draw(depth)
		if r.IntN(4) == 0 {
			stem = strings.Repeat("\x00", depth)
		}
		of := func() string {
			if short := strings.TrimRight(stem, "\x00"); depth <= 8 && r.IntN(3) == 0 {
				return short + stem[len(short):][:r.IntN(depth-len(short)+1)]
			}
			return stem + draw(r.IntN(10))
		}
		a, b := of(), of()
		x, y := Even(a, depth), Even(b, depth)
		next, more := AfterEven(x, depth)
		switch {
		case x != y:
			if cmp.Compare(x, y) != strings.Compare(a, b) {
				t.Fatalf("%q and %q from %d on: %#x, %#x", a, b, depth, x, y)
			}
		case !more && a != b || more && (min(len(a), len(b)) < next || a[:next] != b[:next]):
			t.Fatalf("%q and %q from %d on have code %#x: more %v from %d on", a, b, depth, x, more, next)
		}
	}
}
