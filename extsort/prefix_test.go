package extsort_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// wrongCodec is a codec of notes whose Append does something else with every seventh.
type wrongCodec struct {
	wrong func(dst, encoded []byte) []byte
}

func (c wrongCodec) Append(dst []byte, n note) ([]byte, error) {
	encoded, err := n.AppendBinary(nil)
	if n.At%7 == 3 {
		return c.wrong(dst, encoded), err
	}
	return append(dst, encoded...), err
}

func (c wrongCodec) Decode(src []byte) (n note, err error) {
	err = n.UnmarshalBinary(src)
	return n, err
}

// wrongAppends return something else than dst and the encoding.
var wrongAppends = map[string]func(dst, encoded []byte) []byte{
	"nothing":             func(_, _ []byte) []byte { return nil },
	"no bytes":            func(dst, _ []byte) []byte { return dst[:0] },
	"less than given":     func(dst, _ []byte) []byte { return dst[:len(dst)/2] },
	"without the given":   func(_, encoded []byte) []byte { return encoded },
	"over the given":      func(dst, encoded []byte) []byte { return append(dst[:0], encoded...) },
	"a changed byte":      func(dst, encoded []byte) []byte { dst[len(dst)/2]++; return append(dst, encoded...) },
	"the encoding before": func(dst, encoded []byte) []byte { return append(encoded, dst...) },
}

// TestWrongAppend: an element of which Append does not return the given bytes, and then the encoding,
// is refused. Others are sorted, by Append and by appenders.
func TestWrongAppend(t *testing.T) {
	r := rand.New(rand.NewPCG(131, 132))
	notes := notesOf(keysOf("few", testkit.Pick(2000, 20_000), r), r)
	var want []note
	for _, n := range notes {
		if n.At%7 != 3 {
			want = append(want, n)
		}
	}
	testkit.SortStable(want, byNote().Compare)
	for name, wrong := range wrongAppends {
		s, err := extsort.NewCoded(byNote(), extsort.Codec[note](wrongCodec{wrong}), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()))
		must(t, err)
		shared, err := extsort.NewCoded(byNote(), extsort.Codec[note](wrongCodec{wrong}), extsort.MemoryLimit(512<<10), extsort.TempDir(t.TempDir()))
		must(t, err)
		appender := shared.Appender()
		for _, n := range notes {
			for _, err := range []error{s.Append(n), appender.Append(n)} {
				var e *extsort.CodecError
				if refused := errors.As(err, &e); refused != (n.At%7 == 3) || refused && (e.Op != "append" || !strings.HasPrefix(err.Error(), "extsort: ")) {
					t.Fatalf("%s, element %d: %v", name, n.At, err)
				}
			}
		}
		for _, s := range []*extsort.Sorter[note]{s, shared} {
			if got := collect(t, s); !slices.Equal(got, want) || s.Len() != int64(len(want)) {
				t.Errorf("%s: %d elements of %d, Len %d", name, len(got), len(want), s.Len())
			}
			must(t, s.Close())
		}
	}
}

// evenCodec encodes even numbers as no bytes: they are 0 afterwards.
type evenCodec struct{}

func (evenCodec) Append(dst []byte, n uint8) ([]byte, error) {
	if n%2 == 0 {
		return dst, nil
	}
	return append(dst, n), nil
}

func (evenCodec) Decode(src []byte) (uint8, error) {
	if len(src) == 0 {
		return 0, nil
	}
	return src[0], nil
}

// TestEmptyEncodings has a codec with encodings of no bytes among others.
func TestEmptyEncodings(t *testing.T) {
	s, err := extsort.NewCoded(sorter.By(sorter.Asc(func(n uint8) uint8 { return n })), extsort.Codec[uint8](evenCodec{}), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	const n = 40_000
	for i := range n {
		must(t, s.Append(uint8(i)))
	}
	got := collect(t, s)
	if !slices.IsSorted(got) || len(got) != n || got[n/2-1] != 0 || got[n/2] != 1 {
		t.Errorf("%d elements of %d", len(got), n)
	}
}
