package extsort

import (
	"testing"

	"example.com/sorter/internal/spill"
)

// TestEndsStayInTheirMemory keeps blocks of runs with blocks of unlike sizes, and takes them again.
func TestEndsStayInTheirMemory(t *testing.T) {
	s := spill.NewStore(spill.System{}, []string{t.TempDir()}, 0, spill.Packing{}, "")
	defer s.Close()
	var runs []*run[int]
	for k := range 50 {
		size := 1 << 10
		if k%5 == 0 {
			size = 64 << 10
		}
		w, err := s.NewWriter(int64(size), size, uint64(k), spill.Aligned(make([]byte, 128<<10)))
		if err == nil {
			err = w.Append(make([]byte, size))
		}
		if err != nil {
			t.Fatal(err)
		}
		bytes, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, &run[int]{bytes: bytes})
	}
	most := endsBytes(runs, 1)
	m := &merge[int]{s: &Sorter[int]{}, runs: runs, p: plan{reader: spill.ReaderBytes(64 << 10), ends: most}}
	from := m.loaders(1)[0]
	for part := range 100 {
		for k, r := range runs {
			if p := from.endOf(k, part-1); part > 0 && len(p) != r.bytes.Block() {
				t.Fatalf("part %d, run %d: %d bytes of the last block, want %d", part, k, len(p), r.bytes.Block())
			}
			from.ends.put(k, part, make([]byte, r.bytes.Block()))
		}
		held := int64(cap(from.end))
		for k := range from.ends.blocks {
			held += int64(cap(from.ends.blocks[k].bytes))
		}
		if held > most {
			t.Fatalf("part %d: the blocks take %d bytes, want at most %d", part, held, most)
		}
	}
}
