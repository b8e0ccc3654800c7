package extract

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// addrKeys are the full keys of a column of addresses. They are stored as they are, since zones have any length. Depth
// counts words. Addresses of IPv4 are whole in prefixes of [sortkey.AddrBits], and are not stored then.
type addrKeys struct {
	Column
	byWords
	given  column.Format // where the addresses lie; nil if they are stored
	n      int           // elements
	arena  *scratch.Arena
	opened sync.Once                    // stored
	stored atomic.Pointer[[]netip.Addr] // by element, zero where it was whole in its prefix; nil until one was not
	wide   atomic.Bool                  // one was not whole in its prefix
	zone   atomic.Int64                 // bytes of the longest zone
}

func keepAddrs(c Column, rows Input, arena *scratch.Arena) FullKeys {
	return &addrKeys{Column: c, n: rows.Len, arena: arena}
}

func (a *addrKeys) Prefix(dst []uint64, b Batch, prefixBits int) {
	if len(dst) <= column.OnStack {
		var keys [column.OnStack]netip.Addr
		a.prefixThrough(keys[:], dst, b, prefixBits)
		return
	}
	var keys [Piece]netip.Addr
	a.prefixThrough(keys[:], dst, b, prefixBits)
}

func (a *addrKeys) prefixThrough(buf []netip.Addr, dst []uint64, b Batch, prefixBits int) {
	var nulls nullBits
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		codes, some := dst[i:j], b.part(i, j)
		keys := a.read(buf[:j-i], &nulls, some)
		sortkey.Leading(a.kind, codes, unsafe.Pointer(unsafe.SliceData(keys)), a.Order)
		a.store(keys, some, prefixBits)
		a.flag(codes, &nulls, prefixBits)
	}
}

// read returns the addresses of at most [Piece] elements, in buf unless they are given and adjacent. It also finds the
// nulls. A cancelled context leaves addresses out.
func (a *addrKeys) read(buf []netip.Addr, nulls *nullBits, b Batch) []netip.Addr {
	at := cpu.Hidden(unsafe.Pointer(unsafe.SliceData(buf)))
	switch {
	case !a.InMemory():
		a.call(hidden(buf), nulls, b)
	case b.at == nil:
		at = a.given.Read(at, b.Lo, len(buf))
	default:
		column.GatherRows(a.given, at, b.at[:len(buf)])
	}
	return sortkey.At[netip.Addr](at, len(buf)) // sound: at is buf, or where as many lie
}

// store stores the addresses of a batch in which one is not whole in its prefix, unless they are given, and notes the
// longest zone.
func (a *addrKeys) store(keys []netip.Addr, b Batch, prefixBits int) {
	all, wide, zone := !a.holds4(prefixBits), false, 0
	for i := range keys {
		switch {
		case all || keys[i].Is6():
			wide, zone = true, max(zone, len(keys[i].Zone()))
		case a.given == nil: // zero also where the batch of an equal one is not stored
			keys[i] = netip.Addr{}
		}
	}
	if a.given == nil && (wide || a.stored.Load() != nil) { // where earlier elements had these numbers, theirs are there
		scatter(a.open(), keys, b)
	}
	if wide && !a.wide.Load() {
		a.wide.Store(true)
	}
	for longest := a.zone.Load(); int64(zone) > longest && !a.zone.CompareAndSwap(longest, int64(zone)); longest = a.zone.Load() {
	}
}

// open returns the memory of addresses, taken when first used. It is zero, since it holds pointers.
func (a *addrKeys) open() []netip.Addr {
	a.opened.Do(func() {
		all := scratch.Take[netip.Addr](a.arena, a.n)
		a.stored.Store(&all)
	})
	return *a.stored.Load()
}

// holds4 reports whether prefixes hold addresses of IPv4.
func (a *addrKeys) holds4(prefixBits int) bool {
	if a.Nulls != column.NoNulls {
		prefixBits--
	}
	return prefixBits >= sortkey.AddrBits
}

// gather writes the addresses of elements to keys.
func (a *addrKeys) gather(keys []netip.Addr, elements []uint32) {
	if a.given != nil {
		column.GatherRows(a.given, unsafe.Pointer(unsafe.SliceData(keys)), elements)
		return
	}
	all := a.open()
	for i, x := range elements {
		keys[i] = all[x]
	}
}

func (a *addrKeys) PrefixIsWhole(prefixBits int) bool { return a.holds4(prefixBits) && !a.wide.Load() }

func (a *addrKeys) TieDepth(prefixBits int) int { return firstWord(&a.Column, prefixBits) }

func (a *addrKeys) Codes(dst []uint64, order []uint32, p Level) {
	var keys [column.OnStack]netip.Addr
	for len(order) > 0 {
		n := min(len(order), column.OnStack)
		a.gather(keys[:n], order[:n])
		sortkey.EncodeWordAt(a.kind, dst[:n], unsafe.Pointer(&keys), p.Depth, a.Order)
		dst, order = dst[n:], order[n:]
	}
}

// NextDepth answers by the longest zone: elements that tie were all read.
func (a *addrKeys) NextDepth(_ uint64, p Level) (depth int, more bool) {
	return p.Depth + 1, p.Depth+1 < sortkey.AddrWords(int(a.zone.Load()))
}

func (a *addrKeys) Ended(p Level) bool { return ended(a, p) }

func (a *addrKeys) Compare(i, j uint32) int {
	var keys [2]netip.Addr
	a.gather(keys[:], []uint32{i, j})
	return sortkey.CompareAt(a.kind, unsafe.Pointer(&keys[0]), unsafe.Pointer(&keys[1]), a.Order)
}

func (a *addrKeys) Follow(at []uint32, _ int) (still []uint32, seen presorted.Steps) {
	return follow(at, a.Compare)
}

func (a *addrKeys) Forget(n int) {
	if all := a.stored.Load(); all != nil {
		clear((*all)[:n])
	}
}

func (a *addrKeys) Along(env *engine.Env, p any) error {
	all := a.stored.Load()
	if all == nil {
		return nil
	}
	moved, err := alongAny(env, p, *all)
	a.stored.Store(&moved)
	return err
}

func (a *addrKeys) Moved(payload cpu.Payload) {
	if a.given != nil {
		a.given = column.InMemory(a.kind, payload.Raw())
	}
}
