package ties

import (
	"cmp"
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// countedTexts counts the bytes that are compared of each string while ties are refined,
// and how often. Each time, at most eight that follow are read, too.
type countedTexts struct {
	*extract.Strings[string]
	texts        []string
	bytes, times []int // by element
}

func (c *countedTexts) count(x uint32, shared, depth int) {
	c.bytes[x] += max(shared-depth, 0)
	c.times[x]++
}

func (c *countedTexts) Codes(dst []uint64, order []uint32, p extract.Level) {
	compared := c.texts[p.Pivot][:p.Depth+p.Window] // of the pivot
	for _, x := range order {
		c.count(x, sharedBytes(compared, c.texts[x]), p.Depth)
	}
	c.Strings.Codes(dst, order, p)
}

// SortFew counts the bytes that distinguish a string from those next to it.
func (c *countedTexts) SortFew(order []uint32, p extract.Level) (same uint, ok bool) {
	if same, ok = c.Strings.SortFew(order, p); ok {
		for i, x := range order {
			c.count(x, c.besides(order, i), p.Depth)
		}
	}
	return same, ok
}

// besides returns how many bytes string i of an order shares with those next to it that
// are not in the same memory.
func (c *countedTexts) besides(order []uint32, i int) (shared int) {
	s := c.texts[order[i]]
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(order); k += step {
			if next := c.texts[order[k]]; !inOneMemory(s, next) {
				shared = max(shared, sharedBytes(s, next))
				break
			}
		}
	}
	return shared
}

// sharedBytes returns the length of the common prefix, 0 of strings in the same memory:
// it is not read.
func sharedBytes(a, b string) (n int) {
	if inOneMemory(a, b) {
		return 0
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func inOneMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// TestTextsAreReadOnce bounds the bytes compared of strings that tie by the bytes that they
// share with their neighbours in the order, which every sort has to read.
func TestTextsAreReadOnce(t *testing.T) {
	const n = 4000
	defer func(seed uint64) { texts.PivotSeed = seed }(texts.PivotSeed)
	for i, family := range dist.Deep {
		texts.PivotSeed = uint64(i) // so that counts are the same in every run
		texts := family.Draw(n, dist.Rand(uint64(i)))
		for _, desc := range []bool{false, true} {
			c := &countedTexts{&extract.Strings[string]{Column: extract.Column{Order: sortkey.Order{Desc: desc}}, Keys: texts}, texts, make([]int, n), make([]int, n)}
			order := refineAll(c, n, 0)
			checkOrderOf(t, family.Name, order, texts, desc)
			least, read, times := 0, 0, 0
			for i, x := range order {
				needed := c.besides(order, i)
				least, read, times = least+needed, read+c.bytes[x], times+c.times[x]
				if c.bytes[x] > 3*needed+bits.Len(n) {
					t.Errorf("%s, desc %v: compared %d bytes of a string that shares %d with any other", family.Name, desc, c.bytes[x], needed)
					break
				}
			}
			if read > least*5/4+n {
				t.Errorf("%s, desc %v: compared %d bytes, neighbours share %d", family.Name, desc, read, least)
			}
			if most := slices.Max(c.times); times > n*bits.Len(n)/2 || most > 2*bits.Len(n) {
				t.Errorf("%s, desc %v: %d strings were compared %d times, one of them %d times", family.Name, desc, n, times, most)
			}
		}
	}
}

// refineAll returns the order of n strings that kept has, which share their first depth
// bytes.
func refineAll(kept extract.FullKeys, n, depth int) []uint32 {
	ties := New(&engine.Env{}, extract.Input{}, []extract.Word{{Full: kept}})
	order := ascending32(n)
	ties.RefineTie(&ties.Work[0], Tie{order, extract.Level{Tail: true, Depth: depth}})
	return order
}

func ascending32(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}

// checkOrderOf holds an order to the stable one of the texts.
func checkOrderOf(t *testing.T, name string, order []uint32, texts []string, desc bool) {
	t.Helper()
	want := ascending32(len(texts))
	testkit.SortStable(want, func(a, b uint32) int {
		if desc {
			a, b = b, a
		}
		return cmp.Compare(texts[a], texts[b])
	})
	if !slices.Equal(order, want) {
		t.Fatalf("%s, desc %v: wrong order", name, desc)
	}
}
