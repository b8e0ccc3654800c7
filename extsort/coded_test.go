package extsort_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// note is an element of a foreign codec: it holds pointers.
type note struct {
	Key  uint64
	At   uint64
	Text string
}

func (n note) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, n.Key)
	dst = binary.LittleEndian.AppendUint64(dst, n.At)
	return append(dst, n.Text...), nil
}

func (n *note) UnmarshalBinary(src []byte) error {
	if len(src) < 16 {
		return errors.New("too short")
	}
	*n = note{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:]), string(src[16:])}
	return nil
}

func notesOf(keys []uint64, r *rand.Rand) []note {
	all := make([]note, len(keys))
	for i, k := range keys {
		all[i] = note{k, uint64(i), strings.Repeat("x", lengthOf(r))}
	}
	return all
}

// lengthOf returns a length: mostly short, seldom 100 times that.
func lengthOf(r *rand.Rand) int {
	if r.IntN(200) == 0 {
		return r.IntN(1500)
	}
	return r.IntN(20)
}

func byNote() sorter.Ordering[note] {
	return sorter.By(sorter.Asc(func(n note) uint64 { return n.Key }))
}

// textsOf returns strings whose first eight bytes are keys. They end with their place, so ties
// by the key show their order.
func textsOf(keys []uint64, r *rand.Rand) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		var head [8]byte
		binary.BigEndian.PutUint64(head[:], k)
		all[i] = fmt.Sprintf("%s%s%d", head[:], strings.Repeat("y", lengthOf(r)), i)
	}
	return all
}

// byHead orders strings by their first eight bytes.
func byHead[T ~string | ~[]byte]() sorter.Ordering[T] {
	return sorter.By(sorter.Asc(func(s T) string { return string(s[:8]) }))
}

// anySorter is a Sorter without its type, for elements that are shown as strings.
type anySorter struct {
	in     []string // in the order in which they come
	want   []string
	unique []string
	append func(lo, hi int) error
	len    func() int64
	all    func() ([]string, error)
	batch  func() ([]string, error)
	parts  func(n int) ([]string, error)
	retry  func() error
	addDir func(string) error
	close  func() error
}

// anyOf prepares a sort of elements.
func anyOf[E any](t *testing.T, in []E, o sorter.Ordering[E], c extsort.Codec[E], show func(E) string, opts []extsort.Option) anySorter {
	t.Helper()
	s, err := extsort.NewCoded(o, c, opts...)
	must(t, err)
	want := slices.Clone(in)
	testkit.SortStable(want, o.Compare)
	shown := func(all []E) []string {
		texts := make([]string, len(all))
		for i, e := range all {
			texts[i] = show(e)
		}
		return texts
	}
	a := anySorter{in: shown(in), want: shown(want), len: s.Len, retry: s.Retry, addDir: s.AddDir, close: s.Close}
	a.unique = shown(slices.CompactFunc(want, func(x, y E) bool { return o.Compare(x, y) == 0 }))
	a.append = func(lo, hi int) error { return s.Append(in[lo:hi]...) }
	a.all = func() ([]string, error) {
		got, err := drain(s)
		return shown(got), err
	}
	a.batch = func() (got []string, err error) {
		for batch, err := range s.Batches() {
			if err != nil {
				return got, err
			}
			for _, e := range batch {
				got = append(got, strings.Clone(show(e)))
			}
		}
		return got, nil
	}
	a.parts = func(n int) (got []string, err error) {
		parts, err := s.Parts(n)
		if err != nil {
			return nil, err
		}
		all, err := readParts(parts)
		return shown(slices.Concat(all...)), err
	}
	return a
}

// codings are the codecs of the tests.
var codings = []string{"strings", "bytes", "binary"}

// codedSorter prepares a sort with a codec of elements that have keys.
func codedSorter(t *testing.T, coding string, keys []uint64, r *rand.Rand, opts ...extsort.Option) anySorter {
	t.Helper()
	switch coding {
	case "strings":
		return anyOf(t, textsOf(keys, r), byHead[string](), extsort.Strings(), func(s string) string { return s }, opts)
	case "bytes":
		var all [][]byte
		for _, s := range textsOf(keys, r) {
			all = append(all, []byte(s))
		}
		return anyOf(t, all, byHead[[]byte](), extsort.Bytes(), func(b []byte) string { return string(b) }, opts)
	}
	return anyOf(t, notesOf(keys, r), byNote(), extsort.Binary[note](), func(n note) string { return fmt.Sprint(n) }, opts)
}

func TestCodedOrderIsThatOfAStableSort(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 102))
	for _, coding := range codings {
		for _, limit := range []int64{64 << 10, 256 << 10, 1 << 20, 16 << 20} {
			for _, n := range testkit.Pick([]int{0, 1, 100, 6000}, []int{0, 1, 2, 100, 5000, 30_000}) {
				if limit < 1<<20 {
					n = min(n, int(limit/48))
				}
				for _, kind := range someKinds() {
					t.Run(fmt.Sprintf("%s/%s/n=%d/limit=%d", coding, kind, n, limit), func(t *testing.T) {
						var st extsort.Stats
						s := codedSorter(t, coding, keysOf(kind, n, r), r, extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Report(&st))
						must(t, s.append(0, n))
						got, err := s.all()
						must(t, err)
						sameElements(t, got, s.want)
						must(t, s.close())
						if checkMemory(t, &st, limit); st.Elements != int64(n) || limit < 256<<10 && n > 1000 && st.Runs < 3 {
							t.Errorf("%+v", st)
						}
					})
				}
			}
		}
	}
}

func TestCodedVerbs(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 104))
	for i, coding := range codings {
		for j, kind := range someKinds() {
			for _, n := range testkit.Pick([]int{10, 8000}, []int{10, 20_000}) {
				for _, unique := range []bool{false, true} {
					for _, limit := range []int{0, 3000} {
						for k, verb := range []string{"all", "batches", "parts"} {
							if n > 10 && (i+j+k+limit/3000)%3 != 0 { // each verb with each coding, and with each pair of options
								continue
							}
							t.Run(fmt.Sprintf("%s/%s/n=%d/unique=%v/limit=%d/%s", coding, kind, n, unique, limit, verb), func(t *testing.T) {
								opts := []extsort.Option{extsort.MemoryLimit(384 << 10), extsort.TempDir(t.TempDir())}
								if unique {
									opts = append(opts, extsort.Unique())
								}
								if limit > 0 {
									opts = append(opts, extsort.Limit(int64(limit)))
								}
								s := codedSorter(t, coding, keysOf(kind, n, r), r, opts...)
								for lo := 0; lo < n; lo += 997 {
									must(t, s.append(lo, min(lo+997, n)))
								}
								want := s.want
								if unique {
									want = s.unique
								}
								if limit > 0 {
									want = want[:min(limit, len(want))]
								}
								var got []string
								var err error
								switch verb {
								case "all":
									got, err = s.all()
								case "batches":
									got, err = s.batch()
								case "parts":
									got, err = s.parts(5)
								}
								must(t, err)
								sameElements(t, got, want)
								if s.len() != int64(n) {
									t.Errorf("Len is %d", s.len())
								}
								must(t, s.close())
							})
						}
					}
				}
			}
		}
	}
}

// TestElementsOutliveTheLoop keeps what All yields.
func TestElementsOutliveTheLoop(t *testing.T) {
	var in [][]byte
	r := rand.New(rand.NewPCG(105, 106))
	for i := range 20_000 {
		in = append(in, fmt.Appendf(nil, "%08d%d", r.IntN(1000), i))
	}
	s, err := extsort.NewCoded(byHead[[]byte](), extsort.Bytes(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	own := bytes.Join(in, nil)
	must(t, s.Append(in...))
	for _, e := range in {
		clear(e) // the sort has copies
	}
	got, err := drain(s)
	must(t, err)
	for i := range got {
		_ = append(got[i], "past the end"...)
	}
	all := bytes.Join(got, nil)
	slices.Sort(all)
	slices.Sort(own)
	if !bytes.Equal(all, own) {
		t.Error("bytes have changed")
	}
}

// TestLongAmongShortElements has elements as long as Append takes, each followed by many short ones: a
// part of few elements has room for them.
func TestLongAmongShortElements(t *testing.T) {
	testkit.SkipRace(t)
	limits := testkit.Pick([]int64{128 << 10}, []int64{128 << 10, 512 << 10, 4 << 20})
	for _, limit := range limits {
		for name, codec := range map[string]extsort.Codec[string]{"Strings": extsort.Strings(), "copied": copiedStrings{}} {
			for i, opts := range [][]extsort.Option{nil, {extsort.Unique()}, {extsort.Compress(extsort.S2)}} {
				if i == 2 && limit < 512<<10 || !testkit.Long() && (i == 0) == (name == "Strings") {
					continue // it is less than compressors take, or for long runs
				}
				t.Run(fmt.Sprint(limit, name, i), func(t *testing.T) {
					testLongAmongShort(t, limit, codec, append(opts, extsort.TempDir(t.TempDir()), extsort.MemoryLimit(limit)))
				})
			}
		}
	}
}

func testLongAmongShort(t *testing.T, limit int64, codec extsort.Codec[string], opts []extsort.Option) {
	var st extsort.Stats
	s, err := extsort.NewCoded(sorter.By(sorter.Asc(func(s string) string { return s })), codec, append(opts, extsort.Report(&st))...)
	must(t, err)
	defer s.Close()
	longest := sort.Search(int(limit), func(n int) bool { return s.Append(strings.Repeat("y", n)) != nil }) - 1
	if longest < int(limit/25) {
		t.Fatalf("elements of up to %d bytes", longest)
	}
	r := rand.New(rand.NewPCG(109, 110))
	n := s.Len()
	times := 70
	if limit > 1<<20 {
		times = 25 // several times the memory: the longest grow with it
	}
	for i := range times {
		must(t, s.Append(string(rune('a'+r.IntN(26)))+strings.Repeat("x", longest-1-r.IntN(9))))
		for range 20 {
			must(t, s.Append(fmt.Sprint(i, r.IntN(1000))))
		}
	}
	n += int64(times) * 21
	got, before := int64(0), ""
	for e, err := range s.All() {
		must(t, err)
		if e < before {
			t.Fatalf("%.20q after %.20q", e, before)
		}
		got, before = got+1, e
	}
	if got+st.Dropped != n {
		t.Errorf("%d elements and %d dropped, of %d", got, st.Dropped, n)
	}
	if st.Runs < 3 {
		t.Errorf("%d runs", st.Runs)
	}
}

// TestLargeCodedElements has elements longer than blocks, up to the largest that fits, and one
// that does not.
func TestLargeCodedElements(t *testing.T) {
	for _, limit := range []int64{256 << 10, 4 << 20} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			r := rand.New(rand.NewPCG(107, 108))
			o := sorter.By(sorter.Asc(func(s string) string { return s }))
			s, err := extsort.NewCoded(o, extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
			must(t, err)
			defer s.Close()
			var want []string
			refused := 0
			for i := range testkit.Pick(500, 2000) {
				e := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(300)) + fmt.Sprint(i)
				if i%50 == 0 {
					e += strings.Repeat("-", int(limit)/20)
				}
				if i%100 == 1 {
					huge := strings.Repeat("z", int(limit)+i)
					err := s.Append("first", huge, "last")
					if !errors.Is(err, extsort.ErrMemoryLimit) || !strings.Contains(err.Error(), fmt.Sprint(len(huge))) {
						t.Fatalf("an element of %d bytes: %v", len(huge), err)
					}
					want = append(want, "first")
					refused++
				}
				must(t, s.Append(e))
				if want = append(want, e); s.Len() != int64(len(want)) {
					t.Fatalf("Len is %d of %d", s.Len(), len(want))
				}
			}
			got, err := drain(s)
			must(t, err)
			slices.Sort(want)
			sameElements(t, got, want)
			if refused == 0 {
				t.Error("none was too large")
			}
		})
	}
}

type wide[A any] struct {
	key uint64
	_   A
}

type wideCodec[A any] struct{}

func (wideCodec[A]) Append(dst []byte, e wide[A]) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, e.key), nil
}

func (wideCodec[A]) Decode(src []byte) (e wide[A], err error) {
	e.key = binary.BigEndian.Uint64(src)
	return e, nil
}

// TestWideElements sorts elements with much memory of their own, and short encodings.
func TestWideElements(t *testing.T) {
	testkit.SkipRace(t)
	wideElements[[592]byte](t, 256<<10)
	wideElements[[792]byte](t, 1<<20)
	wideElements[[1192]byte](t, 4<<20)
	wideElements[[1592]byte](t, 16<<20)
	wideElements[[4088]byte](t, 16<<20)
}

func wideElements[A any](t *testing.T, limit int64) {
	t.Helper()
	byKey := sorter.By(sorter.Asc(func(e wide[A]) uint64 { return e.key }))
	var st extsort.Stats
	s, err := extsort.NewCoded(byKey, wideCodec[A]{}, extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Report(&st))
	if err != nil {
		t.Errorf("%T, %d bytes: %v", *new(A), limit, err)
		return
	}
	defer s.Close()
	const n = 20_000
	for i := range uint64(n) {
		must(t, s.Append(wide[A]{key: i * 7919 % n}))
	}
	at := uint64(0)
	for e, err := range s.All() {
		must(t, err)
		if e.key != at {
			t.Fatalf("%T: element %d has key %d", *new(A), at, e.key)
		}
		at++
	}
	if at != n {
		t.Errorf("%T: %d elements of %d", *new(A), at, n)
	}
	if st.Runs < 3 {
		t.Errorf("%T: %d runs", *new(A), st.Runs)
	}
}
