package extract_test

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
)

// item is an element with keys whose first words tie.
type item struct {
	id    [16]byte
	text  string
	at    time.Time
	addr  netip.Addr
	last  int64
	null  bool
	place int32
}

// TestMovedKeys sorts elements by keys of functions that are kept, and move with the elements while these are partitioned: functions are
// called once per element, and ties are broken by the keys of the elements that tie.
func TestMovedKeys(t *testing.T) {
	const n = 20_000
	all := make([]item, n)
	for i := range all {
		k := i * 7919 % 10_007
		e := item{text: "the same beginning, then " + string([]byte{byte(k >> 8), byte(k)}), last: int64(k), null: i%5 == 0, place: int32(i)}
		e.id[3], e.id[7], e.id[12] = byte(k%11), byte(k%13), byte(k)
		e.at = time.Unix(int64(k%50), int64(k))
		if e.addr = netip.AddrFrom4([4]byte{10, byte(k % 3), byte(k), 1}); k%2 == 0 {
			e.addr = netip.AddrFrom16([16]byte{0: 32, 5: byte(k % 7), 14: byte(k)})
		}
		if k%3 == 0 {
			e.last = math.MaxInt64 // the code of nulls
		}
		all[i] = e
	}
	var calls atomic.Int64
	by := func(kind sortkey.Kind, get column.Getter) column.Spec { return column.SpecOf(kind, get) }
	isNull := column.NullFunc[item](func(e item) bool { return e.null })
	id := by(sortkey.KindOf[[16]byte](), column.Func[item, [16]byte](func(e item) [16]byte { calls.Add(1); return e.id }))
	text := by(sortkey.String, column.Func[item, string](func(e item) string { calls.Add(1); return e.text }))
	at := by(sortkey.KindOf[time.Time](), column.Func[item, time.Time](func(e item) time.Time { calls.Add(1); return e.at }))
	addr := by(sortkey.KindOf[netip.Addr](), column.Func[item, netip.Addr](func(e item) netip.Addr { calls.Add(1); return e.addr }))
	last := by(sortkey.Int64, column.Func[item, int64](func(e item) int64 { calls.Add(1); return e.last })).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
	byID := func(a, b item) int { return slices.Compare(a.id[:], b.id[:]) }
	byText := func(a, b item) int { return strings.Compare(a.text, b.text) }
	byLast := func(a, b item) int {
		if a.null || b.null {
			return cmp.Compare(bit(a.null), bit(b.null))
		}
		return cmp.Compare(a.last, b.last)
	}
	for name, c := range map[string]struct {
		specs   []column.Spec
		compare []func(a, b item) int
	}{
		"ids":              {[]column.Spec{id}, []func(a, b item) int{byID}},
		"ids, texts":       {[]column.Spec{id, text}, []func(a, b item) int{byID, byText}},
		"texts, last":      {[]column.Spec{text, last}, []func(a, b item) int{byText, byLast}},
		"last, ids":        {[]column.Spec{last, id}, []func(a, b item) int{byLast, byID}},
		"times, texts":     {[]column.Spec{at, text}, []func(a, b item) int{func(a, b item) int { return a.at.Compare(b.at) }, byText}},
		"addresses":        {[]column.Spec{addr}, []func(a, b item) int{func(a, b item) int { return a.addr.Compare(b.addr) }}},
		"addresses, times": {[]column.Spec{addr, at}, []func(a, b item) int{func(a, b item) int { return a.addr.Compare(b.addr) }, func(a, b item) int { return a.at.Compare(b.at) }}},
	} {
		s := slices.Clone(all)
		calls.Store(0)
		err := pipeline.SortRows(extract.AppendColumns(nil, c.specs), cpu.PayloadOf(s), call.Options{Stable: true, Workers: 2})
		if most := int64(n * len(c.specs)); err != nil || calls.Load() > most {
			t.Errorf("%s: %d calls, at most %d, %v", name, calls.Load(), most, err)
		}
		for i := 1; i < n; i++ {
			order := 0
			for _, f := range c.compare {
				order = cmp.Or(order, f(s[i-1], s[i]))
			}
			if cmp.Or(order, cmp.Compare(s[i-1].place, s[i].place)) >= 0 {
				t.Fatalf("%s: wrong order at %d", name, i)
			}
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
