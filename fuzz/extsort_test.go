package fuzz

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// record is an element of FuzzExtsort: a key, and its place in the input.
type record struct {
	key uint16
	at  uint32
}

// script is what goes wrong in a sort of FuzzExtsort, a bit each.
type script byte

const (
	missing   script = 1 << iota // the first directory does not exist: AddDir follows
	lateDir                      // AddDir of another that does not exist comes before
	full                         // the disk has a limit
	cancelled                    // the context ends in the middle of the input
	broken                       // the loop ends in the middle of the output
	unique                       // equals after the first are dropped
	top                          // only some are kept
	inParts                      // the output is read in parts
)

// FuzzExtsort holds sorts of more elements than memory holds to the stable sort of the standard
// library: the output is right, or ends with the error of the script after right elements.
func FuzzExtsort(f *testing.F) {
	f.Add(byte(0), byte(100), byte(0xff), byte(0), []byte("in memory"))
	f.Add(byte(1), byte(251), byte(3), byte(0), []byte("few keys"))
	f.Add(byte(2), byte(252), byte(0xff), byte(missing), []byte("another directory"))
	f.Add(byte(33), byte(253), byte(0xff), byte(missing|lateDir|unique), []byte("equals"))
	f.Add(byte(64), byte(250), byte(0xff), byte(full), []byte("limit"))
	f.Add(byte(5), byte(251), byte(0x0f), byte(cancelled), []byte("context"))
	f.Add(byte(6), byte(251), byte(0xff), byte(broken|top), []byte("the first ones"))
	f.Add(byte(7), byte(252), byte(0), byte(inParts|top), []byte("all equal"))
	f.Add(byte(255), byte(255), byte(0xff), byte(inParts), []byte("\x00\x01\x00\xff"))
	f.Fuzz(func(t *testing.T, settings, size, mask, faults byte, data []byte) {
		n := elements(size)
		data = expand(data, 2*n, mask)
		rows := make([]record, min(n, len(data)/2))
		for i := range rows {
			rows[i] = record{le16(data[2*i:]), uint32(i)}
		}
		sortExternally(t, rows, settings, script(faults), func(opts []extsort.Option) (*extsort.Sorter[record], error) {
			return extsort.New(byRecord(), opts...)
		})
		sortExternally(t, rows, settings, script(faults), func(opts []extsort.Option) (*extsort.Sorter[record], error) {
			return extsort.NewCoded(byRecord(), extsort.Codec[record](recordCodec{settings}), opts...)
		})
	})
}

func byRecord() sorter.Ordering[record] {
	return sorter.By(sorter.Asc(func(r record) uint16 { return r.key }))
}

// recordCodec encodes records in different lengths.
type recordCodec struct{ settings byte }

func (c recordCodec) Append(dst []byte, r record) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint16(dst, r.key)
	dst = binary.LittleEndian.AppendUint32(dst, r.at)
	long := int(r.key) * int(c.settings) % 97
	if r.at%251 == 0 {
		long *= 20
	}
	return append(dst, make([]byte, long)...), nil
}

func (recordCodec) Decode(src []byte) (record, error) {
	return record{binary.LittleEndian.Uint16(src), binary.LittleEndian.Uint32(src[2:])}, nil
}

// sortExternally runs one sort, with the memory and the workers that settings say.
func sortExternally(t *testing.T, rows []record, settings byte, does script, open func([]extsort.Option) (*extsort.Sorter[record], error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	opts := []extsort.Option{
		extsort.MemoryLimit(128 << 10 << (settings % 4)), extsort.Workers(1 + int(settings/4%4)),
		extsort.TempDir(dir), extsort.WithContext(ctx),
	}
	compare := func(a, b record) int { return cmp.Compare(a.key, b.key) }
	want := slices.Clone(rows)
	testkit.SortStable(want, compare)
	if does&missing != 0 {
		opts = append(opts, extsort.TempDir(filepath.Join(dir, "missing")))
	}
	if does&full != 0 {
		opts = append(opts, extsort.DiskLimit(1+int64(settings)<<12))
	}
	if does&unique != 0 {
		opts = append(opts, extsort.Unique())
		want = slices.CompactFunc(want, func(a, b record) bool { return a.key == b.key })
	}
	if does&top != 0 {
		k := 1 + len(rows)*int(settings)/256
		opts = append(opts, extsort.Limit(int64(k)))
		want = want[:min(k, len(want))]
	}
	s, err := open(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { check(t, "Close", s.Close(), rows, rows) }()
	goOn := func(err error) bool {
		t.Helper()
		var failed *extsort.DiskError
		if does&missing == 0 || !errors.As(err, &failed) || failed.Op != "create" {
			checkEnd(t, err, does)
			return false
		}
		if does&lateDir != 0 && s.AddDir(filepath.Join(dir, "late")) == nil {
			t.Fatal("AddDir of a missing directory")
		}
		if err := s.AddDir(dir); err != nil {
			checkEnd(t, err, does)
			return false
		}
		return true
	}
	for half := len(rows) / 2; s.Len() < int64(len(rows)); {
		if does&cancelled != 0 && s.Len() >= int64(half) {
			cancel()
		}
		at := s.Len()
		end := min(at+1+int64(settings)*16, int64(len(rows)))
		if err := s.Append(rows[at:end]...); err != nil && !goOn(err) {
			return
		}
	}
	got, err := output(s, does, len(rows)/2)
	if err != nil && len(got) == 0 && goOn(err) {
		got, err = output(s, does, len(rows)/2)
	}
	if err != nil || does&broken != 0 {
		want = want[:min(len(got), len(want))]
	}
	if err != nil {
		checkEnd(t, err, does)
	}
	check(t, "extsort", nil, got, want)
}

// output returns what s yields, of which a broken loop takes the first only.
func output(s *extsort.Sorter[record], does script, first int) (got []record, err error) {
	if does&inParts != 0 {
		parts, err := s.Parts(3)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			for r, err := range p.All() {
				if err != nil {
					return got, err
				}
				got = append(got, r)
			}
		}
		return got, nil
	}
	for r, err := range s.All() {
		if err != nil {
			return got, err
		}
		if got = append(got, r); does&broken != 0 && len(got) > first {
			break
		}
	}
	return got, nil
}

// checkEnd expects an error of the script.
func checkEnd(t *testing.T, err error, does script) {
	t.Helper()
	switch {
	case does&full != 0 && errors.Is(err, extsort.ErrDiskLimit):
	case does&cancelled != 0 && errors.Is(err, context.Canceled):
	default:
		t.Fatalf("error %v", err)
	}
}
