package extsort

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

func byNumber() sorter.Ordering[uint64] {
	return sorter.By(sorter.Asc(func(e uint64) uint64 { return e }))
}

func byText() sorter.Ordering[string] {
	return sorter.By(sorter.Asc(func(e string) string { return e }))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// numbersOf returns a Sorter of numbers, of which each comes some times.
func numbersOf(t *testing.T, n, times int, opts ...Option) *Sorter[uint64] {
	t.Helper()
	s, err := New(byNumber(), append(opts, TempDir(t.TempDir()), Workers(2))...)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	for i := range n {
		check(t, s.Append(uint64(i)*7919%uint64(n/times)))
	}
	return s
}

// linesOf returns a Sorter of lines, and the bytes of their encodings.
func linesOf(t *testing.T, n int, opts ...Option) (s *Sorter[string], bytes int) {
	t.Helper()
	s, err := NewCoded(byText(), Strings(), append(opts, TempDir(t.TempDir()), Workers(2))...)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	r := rand.New(rand.NewPCG(151, 152))
	for range n {
		line := fmt.Sprintf("%016x%s", r.Uint64(), strings.Repeat("z", r.IntN(90)))
		bytes += lengthBytes(len(line)) + len(line)
		check(t, s.Append(line))
	}
	return s, bytes
}

// TestSizesInMemory has chunks of at most their share of memory and at least half of it, and places for decoded
// elements of which less than an eighth is not used.
func TestSizesInMemory(t *testing.T) {
	for share := int64(0); share < 1<<20; share += 1 + share/7 {
		n := int64(chunkBytes(share, 64<<10))
		if most := min(max(share, 512), 64<<10); n > most || 2*n <= most || n&(n-1) != 0 {
			t.Errorf("%d bytes for a share of %d", n, share)
		}
	}
	for n := 1; n < 1<<30; n += 1 + n/11 {
		if up := roundUp(n); up < n || up > n+n/8 {
			t.Errorf("%d for %d", up, n)
		}
	}
}

// TestHalvesLeaveMemoryToIndices has half of the memory for as many elements as can be sorted beside what indices
// take of it, and for half of a run whatever they take.
func TestHalvesLeaveMemoryToIndices(t *testing.T) {
	for _, limit := range []int64{128 << 10, 1 << 20, 1<<20 + 100, 20 << 20} {
		s := numbersOf(t, 0, 1, MemoryLimit(limit))
		f, l := s.form.(*fixed[uint64]), &s.layout
		f.memory = make([]uint64, 2*l.fill)
		of := func(n int) int64 { return scratchBytes(s.order, n, l.workers, l.limit) }
		for _, less := range []int64{0, 1, limit / 100, limit / 20, limit / 8} {
			s.lent = less
			want := l.fill
			for want > (l.fill+1)/2 && of(want) > of(l.fill)-less {
				want--
			}
			if n := cap(f.halfOf(1)); n != want {
				t.Errorf("limit %d, indices take %d: room for %d elements of %d, want %d", limit, less, n, l.fill, want)
			}
		}
		f.memory = nil
	}
}

// TestPartsTakeMemoryOnce has longer parts in the memory of shorter ones, not beside it.
func TestPartsTakeMemoryOnce(t *testing.T) {
	s := numbersOf(t, 0, 1, MemoryLimit(16<<20))
	s.runs = []*run[uint64]{{n: 1 << 30}}
	defer func() { s.runs = nil }()
	f := s.form.(*fixed[uint64])
	scratch.DropIdle()
	before, _ := f.forParts(1, 200_000)
	after, _ := f.forParts(1, 200_001)
	if len(after) < 200_001 || &before[0] != &after[0] {
		t.Errorf("%d elements, in the memory of before: %v", len(after), &before[0] == &after[0])
	}
}

// TestShortSortsStayInTheirBound measures the memory that a short sort takes, of which package sorter keeps some.
func TestShortSortsStayInTheirBound(t *testing.T) {
	testkit.SkipInstrumented(t)
	for _, n := range []int{500, 2000, shortSort} {
		rows := make([][3]uint64, n)
		o := sorter.By(sorter.Asc(func(e [3]uint64) uint64 { return e[0] }), sorter.Asc(func(e [3]uint64) uint64 { return e[1] }))
		lines := make([]string, n)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			rows[i] = [3]uint64{r.Uint64N(10), r.Uint64()}
			lines[i] = fmt.Sprintf("some prefix %016x", r.Uint64())
		}
		measure := func(sort func() error) int64 {
			scratch.Trim()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			check(t, sort())
			runtime.ReadMemStats(&after)
			return int64(after.TotalAlloc - before.TotalAlloc)
		}
		got := measure(func() error { return o.Sort(rows, sorter.Stable(), sorter.Workers(1)) })
		if most := scratchBytes(o, n, 1, 1<<30); got > most {
			t.Errorf("%d rows take %d bytes, their bound is %d", n, got, most)
		}
		got = measure(func() error { _, err := byText().Order(lines, sorter.Stable(), sorter.Workers(1)); return err })
		if most := scratchBytes(byText(), n, 1, 1<<30); got > most {
			t.Errorf("%d lines take %d bytes, their bound is %d", n, got, most)
		}
	}
}

// TestMergesStayInTheirBounds merges runs of which it measures the cuts and the index. Of those that tie one stays,
// and the others are counted.
func TestMergesStayInTheirBounds(t *testing.T) {
	numbers := numbersOf(t, 100_000, 5, MemoryLimit(256<<10), Unique())
	mergesInBounds(t, numbers)
	lines, bytes := linesOf(t, 20_000, MemoryLimit(256<<10), Unique())
	check(t, lines.end())
	if each, want := eachOf(lines.runs), int64(bytes/20_000); each < want || each > want+2 {
		t.Errorf("an element counts as %d bytes, it has %d", each, want)
	}
	mergesInBounds(t, lines)
}

func mergesInBounds[E any](t *testing.T, s *Sorter[E]) {
	check(t, s.end())
	group, n := slices.Clone(s.runs), int64(0)
	for !s.mergeable(group) {
		group = group[:len(group)-1]
	}
	for _, r := range group {
		n += r.n
	}
	if len(group) < 8 {
		t.Fatalf("%d runs", len(group))
	}
	p, _ := s.planFor(group, 0, false, 0)
	m, err := s.newMerge(group, p, false)
	check(t, err)
	cuts := int64(0)
	for _, c := range m.cuts {
		cuts += int64(8*len(c.places)) + int64(unsafe.Sizeof(*c))
	}
	if most := cutsBytes(group, p, false); cuts > most || most > 3*cuts {
		t.Errorf("%T: the cuts of %d runs take %d bytes, their bound is %d", *new(E), len(group), cuts, most)
	}
	most, dropped := s.indexOf(group), s.stats.Dropped
	r, err := s.mergeInto(group)
	check(t, err)
	if got := s.stats.Dropped - dropped; got != n-r.n {
		t.Errorf("%T: %d elements of %d are left, %d were counted as dropped", *new(E), r.n, n, got)
	}
	if index := r.bytes.Memory() + s.form.IndexBytes(r); index > most || most > 3*index {
		t.Errorf("%T: the index of %d runs takes %d bytes, its bound is %d", *new(E), len(group), index, most)
	}
}

// TestIndexTakesNoMore has the index of a resumed run take no more memory than when the run was written, and memory
// for one element per block from the start.
func TestIndexTakesNoMore(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	numbers := numbersOf(t, 100_000, 1, MemoryLimit(256<<10), Keep(dirs[0]))
	lines, _ := linesOf(t, 10_000, MemoryLimit(256<<10), Keep(dirs[1]))
	check(t, numbers.Sync())
	check(t, lines.Sync())
	want := [2]int64{numbers.indexBytes(), lines.indexBytes()}
	check(t, numbers.Close())
	check(t, lines.Close())
	numbers, err := Resume(dirs[0], byNumber(), MemoryLimit(256<<10))
	check(t, err)
	defer numbers.Close()
	lines, err = ResumeCoded(dirs[1], byText(), Strings(), MemoryLimit(256<<10))
	check(t, err)
	defer lines.Close()
	if got := [2]int64{numbers.indexBytes(), lines.indexBytes()}; got[0] > want[0]+want[0]/16 || got[1] > want[1]+want[1]/16 {
		t.Errorf("%d bytes, when the runs were written %d", got, want)
	}
	for _, n := range []int64{99, 100, 101} {
		w, err := numbers.form.NewWriter(n, n*8, 10, 1)
		check(t, err)
		if blocks := (n + 9) / 10; int64(cap(w.run.firsts)) != blocks {
			t.Errorf("memory for %d elements of %d blocks", cap(w.run.firsts), blocks)
		}
		w.discard()
	}
}

// TestPiecesBesideIndices has pieces of appenders that take memory which indices have taken: it is counted twice.
func TestPiecesBesideIndices(t *testing.T) {
	s := numbersOf(t, 0, 1, MemoryLimit(256<<10))
	check(t, s.Appender().Append(1))
	a := s.form.Account()
	a.less = a.total / 8
	var err error
	for err == nil {
		err = s.Appender().Append(1)
	}
	if !errors.Is(err, ErrMemoryLimit) || s.beyond <= 0 || s.beyond != s.form.Held()-(a.total-a.less) {
		t.Errorf("%d bytes of %d, of which indices have %d, are %d beyond: %v", s.form.Held(), a.total, a.less, s.beyond, err)
	}
}

// TestStreamsStayInTheirMemory measures what a merge of many streams in the least memory takes beside the sorts of its
// windows, and has all workers for elements of which a block has few.
func TestStreamsStayInTheirMemory(t *testing.T) {
	const k, word = 500, int64(unsafe.Sizeof(uintptr(0)))
	m := &streams[uint64]{options: options{memory: 1, workers: 2}, order: byNumber(), cols: columnsOf(byNumber())}
	_, err := m.layOut(k)
	var little *sorter.MemoryError
	if !errors.As(err, &little) {
		t.Fatal(err)
	}
	m.memory = little.Need
	var sources []iter.Seq2[[]uint64, error]
	for i := range k {
		sources = append(sources, func(yield func([]uint64, error) bool) {
			for at := range 20 {
				if !yield([]uint64{uint64(at*k + i)}, nil) {
					return
				}
			}
		})
	}
	m.turn.Lock() // windows are cut here, not by workers
	check(t, m.begin(sources))
	w, n, regions := new(window[uint64]), 0, 0
	for w.reset(); !w.end; w.reset() {
		check(t, m.cut(w))
		n += w.n
		if regions = max(regions, len(w.regions)); !w.end {
			check(t, m.merge(w))
		}
		if w.end {
			break
		}
	}
	windows := int64(m.layout.windows())
	each := int64(cap(w.regions))*int64(unsafe.Sizeof(region[uint64]{})) + int64(cap(w.runs))*int64(unsafe.Sizeof(cpu.Payload{})) + int64(cap(w.touched))*word
	bytes := m.arena.Peak() + (windows-1)*scratch.Size(cap(w.memory), 8) + windows*each
	for _, s := range m.sources {
		bytes += int64(unsafe.Sizeof(*s)) + int64(s.blocks)*int64(unsafe.Sizeof(block[uint64]{})) + int64(cap(s.queue)+cap(s.spare)+2*cap(s.seen))*word
	}
	sorts := int64(m.layout.workers) * m.order.ScratchBytes(m.layout.window, sorter.Workers(1))
	if n != 20*k || regions < k || bytes > m.stats.Memory-sorts {
		t.Errorf("%d elements, windows of up to %d regions: %d bytes, %d were counted", n, regions, bytes, m.stats.Memory-sorts)
	}
	m.over = true
	m.turn.Unlock()
	m.end()

	type large [64 << 10]byte
	wide := &streams[large]{options: options{memory: 1 << 30, workers: 4}, order: sorter.By(sorter.Asc(func(e large) byte { return e[0] }))}
	wide.cols = columnsOf(wide.order)
	if l, err := wide.layOut(4); err != nil || l.workers != 4 || l.block != blockBytes/len(large{}) {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestReadAheadStaysInMemory has plans of one reader, which reads ahead in memory that the merge leaves, and does.
func TestReadAheadStaysInMemory(t *testing.T) {
	less := 0
	for _, limit := range []int64{2 << 20, 4 << 20} {
		numbers := numbersOf(t, int(limit/4), 1, MemoryLimit(limit))
		less += readsInMemory(t, numbers)
		lines, _ := linesOf(t, int(limit/30), MemoryLimit(limit))
		less += readsInMemory(t, lines)
	}
	if less == 0 {
		t.Error("no plan has less memory than it could use")
	}
}

// readsInMemory returns 1 if a plan has less memory to read ahead than it could use.
func readsInMemory[E any](t *testing.T, s *Sorter[E]) (less int) {
	t.Helper()
	check(t, s.end())
	if !s.readsAhead(s.runs) {
		t.Skip("the system reads nothing ahead")
	}
	p, ok := s.planFor(s.runs, 0, false, 0)
	if !ok { // runs are merged before
		return 0
	}
	one, ok := s.oneReader(p, s.runs)
	free, taken := s.unused(one, s.runs), one.ends+int64(2*one.ahead)
	if taken > free {
		t.Errorf("%T: %d bytes are free for %d runs, %d are taken", *new(E), free, len(s.runs), taken)
	}
	if !ok {
		return 0
	}
	m, err := s.newMerge(s.runs, one, false)
	check(t, err)
	from := m.loaders(1)[0]
	defer from.close()
	part := s.form.Buffers(one)[0]
	defer part.Release()
	_, err = m.loadPart(0, part, from)
	check(t, err)
	if from.fetched < len(s.runs) {
		t.Errorf("%T: %d slices of %d runs were read ahead", *new(E), from.fetched, len(s.runs))
	}
	if free < taken+free/10 {
		return 1
	}
	return 0
}

// TestOverlap has runs of which some overlap, and others lie apart.
func TestOverlap(t *testing.T) {
	s := &Sorter[int]{order: sorter.By(sorter.Asc(func(e int) int { return e }))}
	overlap := func(wide ...int) bool { // the runs that overlap, of 16
		runs := make([]*run[int], 16)
		for k := range runs {
			runs[k] = &run[int]{firsts: []int{100 * k, 100*k + 50, 100*k + 99}}
			if slices.Contains(wide, k) {
				runs[k].firsts = []int{10_000, 10_050, 10_099}
			}
		}
		return s.overlap(runs)
	}
	for _, c := range []struct {
		wide []int
		want bool
	}{
		{nil, false},
		{[]int{1, 3, 5, 7, 9, 11, 13, 15}, false},            // 8 of 16 meet 8, and 8 meet 1
		{[]int{1, 3, 5, 7, 9, 11, 13, 15, 4}, true},          // 9 of 16 meet 9, and 7 meet 1
		{[]int{0, 2, 4, 6, 8, 10, 12, 14}, false},            // as before: the others count, too
		{[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true}, // the first lies apart
		{[]int{0, 1, 2, 3, 4}, false},                        // the first overlaps
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, true},
	} {
		if got := overlap(c.wide...); got != c.want {
			t.Errorf("%v of 16 runs overlap: %v", c.wide, got)
		}
	}
}

// released counts the rows that are given back.
type released[E any] struct {
	rows[E]
	n *atomic.Int64
}

func (r released[E]) Release() {
	r.n.Add(1)
	r.rows.Release()
}

// counted is a form whose buffers are counted.
type counted[E any] struct {
	form[E]
	taken, given *atomic.Int64
}

func (c counted[E]) Buffers(p plan) []rows[E] {
	all := c.form.Buffers(p)
	for i := range all {
		c.taken.Add(1)
		all[i] = released[E]{all[i], c.given}
	}
	return all
}

// TestBuffersAreGivenBack reads a merge to its end, in part, and in ranges.
func TestBuffersAreGivenBack(t *testing.T) {
	for _, how := range []string{"all", "break", "parts"} {
		s, _ := linesOf(t, 10_000, MemoryLimit(256<<10))
		check(t, s.waitForRun()) // it asks the form
		c := counted[string]{s.form, new(atomic.Int64), new(atomic.Int64)}
		s.form = c
		if how == "parts" {
			parts, err := s.Parts(2)
			check(t, err)
			for _, p := range parts {
				for _, err := range p.Batches() {
					check(t, err)
				}
			}
			check(t, s.Close())
		} else {
			for _, err := range s.Batches() {
				check(t, err)
				if how == "break" {
					break
				}
			}
		}
		if c.taken.Load() == 0 || c.taken.Load() != c.given.Load() {
			t.Errorf("%s: %d buffers of %d were given back", how, c.given.Load(), c.taken.Load())
		}
	}
}

// sickStrings is the codec of strings, whose Decode fails.
type sickStrings struct{ sick *bool }

var errSick = errors.New("sick")

func (c sickStrings) Append(dst []byte, e string) ([]byte, error) { return append(dst, e...), nil }

func (c sickStrings) Decode(src []byte) (string, error) {
	if *c.sick {
		return "", errSick
	}
	return string(src), nil
}

// TestFailedSortGivesItsMemoryBack has elements that cannot be decoded wait without the memory in which they are sorted.
func TestFailedSortGivesItsMemoryBack(t *testing.T) {
	sick := false
	s, err := NewCoded(byText(), Codec[string](sickStrings{&sick}), MemoryLimit(1<<20))
	check(t, err)
	defer s.Close()
	for i := range 1000 {
		check(t, s.Append(fmt.Sprint(i*7919%1000)))
	}
	p := s.fill.(*pack[string])
	sick = true
	if err := p.Sort(false, s.sort); !errors.Is(err, errSick) || p.decoded.Used() != 0 {
		t.Errorf("%d bytes are held, after %v", p.decoded.Used(), err)
	}
	sick = false
	check(t, p.Sort(false, s.sort))
	if p.decoded.Used() == 0 || p.Len() != 1000 {
		t.Errorf("%d elements, %d bytes are held", p.Len(), p.decoded.Used())
	}
}

// TestFingerprints has types of the same name whose parts differ.
func TestFingerprints(t *testing.T) {
	var all []string
	{
		type e struct{ A uint64 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e struct{ A int64 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e struct{ A [2]uint32 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e struct{ A [4]uint16 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e struct{ B uint64 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e struct{ A, _ uint32 }
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e uint64
		all = append(all, fingerprint(fixedType[e]()))
	}
	{
		type e float64
		all = append(all, fingerprint(fixedType[e]()))
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != 8 {
		t.Errorf("%d of 8 types differ: %q", n, all)
	}
}
