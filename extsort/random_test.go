package extsort_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// blob is an element whose encoding may have no bytes.
type blob struct {
	Key uint16
	At  uint32
	Pad string
}

type blobs struct{}

func (blobs) Append(dst []byte, b blob) ([]byte, error) {
	if b == (blob{}) {
		return dst, nil
	}
	dst = binary.LittleEndian.AppendUint16(dst, b.Key)
	dst = binary.LittleEndian.AppendUint32(dst, b.At)
	return append(dst, b.Pad...), nil
}

func (blobs) Decode(src []byte) (b blob, err error) {
	if len(src) > 0 {
		b = blob{binary.LittleEndian.Uint16(src), binary.LittleEndian.Uint32(src[2:]), string(src[6:])}
	}
	return b, nil
}

// TestRandomCodedSorts has codecs, lengths, limits of memory and options at random.
func TestRandomCodedSorts(t *testing.T) {
	for seed := range uint64(testkit.Pick(20, 100)) {
		if testkit.ThinnedTo(4, int(seed)) {
			continue
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { testRandomCoded(t, rand.New(rand.NewPCG(seed, 123))) })
	}
}

func testRandomCoded(t *testing.T, r *rand.Rand) {
	limit := int64(40<<10 + r.IntN(24<<10)<<r.IntN(9))
	lengths := randomLengths(r, int(limit))
	var st extsort.Stats
	opts := []extsort.Option{extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Report(&st), extsort.Workers(1 + r.IntN(16))}
	if c := extsort.Compression(r.IntN(4)); c == extsort.Adaptive || c == extsort.None || limit > int64(c-1)<<20 {
		opts = append(opts, extsort.Compress(c)) // others need more memory
	}
	unique, k := r.IntN(4) == 0, 0
	if unique {
		opts = append(opts, extsort.Unique())
	}
	if r.IntN(4) == 0 {
		k = 1 + r.IntN(len(lengths))
		opts = append(opts, extsort.Limit(int64(k)))
	}
	s := randomSorter(t, r, lengths, opts)
	must(t, s.append(0, len(lengths)))
	want := s.want
	if unique {
		want = s.unique
	}
	if k > 0 {
		want = want[:min(k, len(want))]
	}
	got, err := []func() ([]string, error){s.all, s.batch, func() ([]string, error) { return s.parts(1 + r.IntN(9)) }}[r.IntN(3)]()
	must(t, err)
	sameElements(t, got, want)
	must(t, s.close())
	if checkMemory(t, &st, limit); st.Elements != int64(len(lengths)) {
		t.Errorf("limit %d, %d elements: %+v", limit, len(lengths), st)
	}
}

// randomLengths returns lengths of elements that Append takes with a limit of memory.
func randomLengths(r *rand.Rand, limit int) (all []int) {
	most := min(limit/45, 30<<10)
	bytes, kind := limit*(1+r.IntN(6)), r.IntN(4)
	for bytes > 0 && len(all) < 20_000 {
		n := r.IntN(12)
		if kind == 0 || kind < 3 && r.IntN(20*kind) == 0 {
			n = r.IntN(most)
		}
		all = append(all, n)
		bytes -= n + 14
	}
	return all
}

func randomSorter(t *testing.T, r *rand.Rand, lengths []int, opts []extsort.Option) anySorter {
	distinct := 1 + r.IntN(2*len(lengths))
	codec := r.IntN(4)
	keys := make([]int, len(lengths))
	for i := range keys {
		keys[i] = r.IntN(distinct)
	}
	pad := strings.Repeat("y", slices.Max(lengths))
	if codec == 2 {
		notes := make([]note, len(keys))
		for i, key := range keys {
			notes[i] = note{uint64(key), uint64(i), pad[:lengths[i]]}
		}
		return anyOf(t, notes, byNote(), extsort.Binary[note](), func(n note) string { return fmt.Sprint(n) }, opts)
	}
	if codec == 3 {
		all := make([]blob, len(keys))
		for i, key := range keys {
			if lengths[i] > 0 {
				all[i] = blob{uint16(key), uint32(i), pad[:lengths[i]]}
			}
		}
		return anyOf(t, all, sorter.By(sorter.Asc(func(b blob) uint16 { return b.Key })), extsort.Codec[blob](blobs{}), func(b blob) string { return fmt.Sprint(b) }, opts)
	}
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = fmt.Sprintf("%08d%s%d", key, pad[:lengths[i]], i)
	}
	if codec == 0 {
		return anyOf(t, texts, byHead[string](), extsort.Strings(), func(s string) string { return s }, opts)
	}
	return anyOf(t, bytesOf(texts), byHead[[]byte](), extsort.Bytes(), func(b []byte) string { return string(b) }, opts)
}

func bytesOf(texts []string) (all [][]byte) {
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}
