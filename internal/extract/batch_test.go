package extract

import (
	"net/netip"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// TestRows reads rows that lie side by side as one range, and others by their numbers; none are a batch, too.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		at   []uint32
		side bool
	}{{nil, false}, {[]uint32{7}, true}, {[]uint32{7, 8, 9}, true}, {[]uint32{7, 9}, false}, {[]uint32{9, 8}, false}} {
		numbers := make([]int, 3)
		b := Rows(numbers, c.at)
		if len(c.at) > 0 && (b.at == nil) != c.side || c.side && b.Lo != int(c.at[0]) || b.Block.Len() != len(c.at) {
			t.Errorf("%d: from %d on: %t, %d rows", c.at, b.Lo, b.at == nil, b.Block.Len())
		}
		for i, x := range c.at {
			if numbers[i] != int(x) {
				t.Errorf("%d: numbers %d", c.at, numbers)
			}
		}
	}
}

// TestOwnTexts recognizes strings that are their own keys, alone.
func TestOwnTexts(t *testing.T) {
	self := Self[string]()
	for name, c := range map[string]struct {
		cols []Column
		want bool
	}{
		"strings": {[]Column{self}, true}, "numbers": {[]Column{Self[int64]()}, false}, "none": {nil, false}, "bytes": {[]Column{ColumnOf[[16]byte](nil)}, false},
		"two": {[]Column{self, self}, false}, "a number before": {[]Column{Self[int8](), self}, false}, "of a function": {[]Column{ColumnOf[string](column.Func[string, string](func(s string) string { return s }))}, false},
	} {
		if OwnTexts(Words(c.cols, sortkey.Order{})) != c.want {
			t.Errorf("%s: own texts %t", name, !c.want)
		}
	}
}

// TestWholeAddrs has codes of whole IPv4 addresses, also beside nulls, where a code has room for them.
func TestWholeAddrs(t *testing.T) {
	narrow, wide := netip.AddrFrom4([4]byte{10, 0, 0, 1}), netip.AddrFrom16([16]byte{0: 32, 15: 1})
	addr := ColumnOf[netip.Addr](column.Func[netip.Addr, netip.Addr](func(a netip.Addr) netip.Addr { return a }))
	number := ColumnOf[int32](column.Func[netip.Addr, int32](func(netip.Addr) int32 { return 0 }))
	nulls := addr
	nulls.Nulls, nulls.AreNull = column.NullsLast, column.NullFunc[netip.Addr](func(netip.Addr) bool { return false })
	for name, c := range map[string]struct {
		cols  []Column
		addrs []netip.Addr
		want  bool
	}{
		"narrow": {[]Column{addr}, []netip.Addr{narrow, narrow}, true}, "wide": {[]Column{addr}, []netip.Addr{narrow, wide}, false},
		"narrow, with nulls": {[]Column{nulls}, []netip.Addr{narrow, narrow}, true}, "narrow after a number": {[]Column{number, addr}, []netip.Addr{narrow, narrow}, false},
	} {
		rows, words, env := InputOf(cpu.PayloadOf(c.addrs)), Words(c.cols, sortkey.Order{}), new(engine.Env)
		rows.Arena = &env.Arena
		words[0].Open(rows, env)
		codes := make([]uint64, len(c.addrs))
		Source64(rows, &words[0])(codes, 0)
		if words[0].Whole() != c.want {
			t.Errorf("%s: codes are whole addresses: %t", name, !c.want)
		}
		env.Arena.Release(1)
	}
}

// TestReadEarly reads codes of a later word that are kept: each row's functions are called once, in whatever sequence rows are asked for.
func TestReadEarly(t *testing.T) {
	const n = 100
	calls := make([]int, n)
	first := ColumnOf[int64](column.Func[int, int64](func(row int) int64 { return 0 }))
	second := ColumnOf[int64](column.Func[int, int64](func(row int) int64 { calls[row]++; return int64(-row) }))
	cols := []Column{first, second}
	ForRows(cols, n)
	env, rows := new(engine.Env), RowNumbers(n)
	rows.Arena = &env.Arena
	keys := NewKeys(env, rows, Words(cols, sortkey.Order{}))
	keys.Open(0, false)
	keys.Open(1, true)
	var w Reader
	for _, at := range [][]uint32{{7, 8, 9}, {9, 3, 7}, {50}, {3, 50, 99}} {
		codes := make([]uint64, len(at))
		keys.Read(&w, codes, at, 1)
		for i, x := range at {
			if codes[i] != uint64(-int64(x))^1<<63 || calls[x] != 1 {
				t.Errorf("row %d: code %#x, %d calls", x, codes[i], calls[x])
			}
		}
	}
	env.Arena.Release(1)
}
