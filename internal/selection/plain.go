package selection

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Numbers that lie side by side in memory are selected by one pass on the calling goroutine, which writes no code of all of them ("Expected time
// bounds for selection", Floyd and Rivest, 1975). A sample gives two codes that are likely to be before and after a rank. The pass counts the
// keys before both, and compresses the codes between them, with a bit for each. The code of the rank is selected among these. Where the sample is
// wrong, the caller selects in another way.
//
// Codes are exact: those of -0 and +0, and of NaNs, differ. Where these tie, bounds include all that tie with them, and rows and keys come in
// input order.

const (
	leastPlain = 256     // keys from which that takes less time
	mostPlain  = 1 << 20 // keys of which other workers take no part
	mostFirst  = 16      // the first 1/mostFirst of keys at most

	mostPlainSample = 1 << 11 // codes, for which the memory of splits is enough
)

// plain is keys, and the function to their codes.
type plain[C sortkey.Code] struct {
	keys     []C
	span     loops.KeySpan[C] // in ascending order
	desc     bool             // codes are the complements
	ties     bool             // zeros tie, and NaNs do
	infinity C                // bits of +Inf

	own    *plainMemory
	memory []C      // of splits, or of as many codes as a sample has
	codes  []C      // a sample, then the offsets of the keys between bounds
	masks  []uint64 // their keys
	chosen []uint64 // those of the first
}

// plainMemory is the memory of a selection, and is pooled. That of few keys stays in it.
type plainMemory struct {
	few   []uint64
	arena scratch.Arena
}

// fewPlain is the words that stay: those for [cpu.SmallLen] keys.
const fewPlain = cpu.SmallLen + 2*loops.WithinSlack + 1<<14/8 + cpu.SmallLen/32

var plainMemories = sync.Pool{New: func() any { return &plainMemory{few: make([]uint64, fewPlain)} }}

func (m *plainMemory) take(words int) unsafe.Pointer {
	if words <= fewPlain {
		return unsafe.Pointer(&m.few[0])
	}
	return unsafe.Pointer(unsafe.SliceData(scratch.Take[uint64](&m.arena, words)))
}

// servesPlain reports whether n keys of a kind are selected where they lie.
func servesPlain(kind sortkey.Kind, n int, o *call.Options) bool {
	switch kind {
	case sortkey.Int32, sortkey.Uint32, sortkey.Int64, sortkey.Uint64, sortkey.Float32, sortkey.Float64:
		return leastPlain <= n && (n <= mostPlain || o.Workers == 1 && uint64(n) <= math.MaxUint32) && !o.Monitored() && o.Progress == nil && o.Free() && bucket.Splits()
	}
	return false
}

// plainOf returns n keys of a kind at an address, with memory, which [plain.end] gives back.
func plainOf[C sortkey.Code](kind sortkey.Kind, at unsafe.Pointer, n int, o sortkey.Order) plain[C] {
	exact, _ := sortkey.MappingOf(kind, o, true)
	p := plain[C]{keys: sortkey.At[C](at, n), desc: o.Desc}
	if p.span.Plus = C(exact.Flip); o.Desc {
		p.span.Plus = ^p.span.Plus
	}
	if exact.Float {
		ordered, _ := sortkey.MappingOf(kind, o, false)
		sign := ^(^C(0) >> 1)
		p.span.Negative, p.span.Plus = ^sign, sign+C(exact.Turn)
		p.ties, p.infinity = ordered.Zero != 0, C(ordered.Most)
	}
	p.own = plainMemories.Get().(*plainMemory)
	size, beside, masks := n+loops.WithinSlack, min(n, bucket.MostBeside[C]())+loops.WithinSlack, (n+63)/64
	words := (uintptr(size+beside)*unsafe.Sizeof(C(0)) + 7) / 8
	memory := p.own.take(int(words) + 2*masks)
	codes := sortkey.At[C](memory, size+beside)
	p.codes, p.memory = codes[:size:size], codes[size:]
	all := sortkey.At[uint64](unsafe.Add(memory, 8*words), 2*masks)
	p.masks, p.chosen = all[:masks:masks], all[masks:]
	return p
}

func (p *plain[C]) end() {
	p.own.arena.Release(1)
	plainMemories.Put(p.own)
}

// ofKey returns the code of a key.
func (p *plain[C]) ofKey(key C) C {
	c := p.span.Of(key)
	if p.desc {
		c = ^c
	}
	return c
}

// tied returns the least and the greatest code of keys that tie with those of a code.
func (p *plain[C]) tied(c C) (least, most C) {
	if !p.ties {
		return c, c
	}
	if p.desc {
		c = ^c
	}
	least, most = c, c
	sign := p.span.Negative + 1
	switch lowest, highest, negative, zero := p.span.Of(sign|p.infinity), p.span.Of(p.infinity), p.span.Of(sign), p.span.Of(0); {
	case c < lowest:
		least, most = 0, lowest-1
	case c > highest:
		least, most = highest+1, ^C(0)
	case c == negative, c == zero:
		least, most = negative, zero
	}
	if p.desc {
		least, most = ^most, ^least
	}
	return least, most
}

// tie reports whether all keys in a span tie.
func (p *plain[C]) tie(in span[C]) bool {
	_, most := p.tied(in.least)
	return most >= in.most
}

// plainSample returns the size of a sample of n keys: those between its bounds take as long as it does.
func plainSample(n int) int {
	if n < 1<<11 {
		return 64
	}
	return min(128<<(2*max(0, bits.Len(uint(n))-13)/3), mostPlainSample)
}

// samplePlace returns the place of the key that is drawn of part i of keys. Parts are read at places that do not repeat.
func samplePlace(i, part int) int {
	const odd = 0x9E3779B1 // 2^32 by the golden ratio
	return i*part + int(uint64(uint32(i)*odd)*uint64(part)>>32)
}

// sample returns the codes of some keys, in order. One key is drawn of each part of them.
func (p *plain[C]) sample() []C {
	n := len(p.keys)
	drawn, sample := p.memory[:plainSample(n)], p.codes[:plainSample(n)]
	for i := range drawn {
		drawn[i] = p.keys[samplePlace(i, n/len(drawn))]
	}
	s := p.span
	s.Most = ^C(0)
	if loops.KeysWithin(p.codes, p.masks, drawn, s); p.desc {
		for i, c := range sample {
			sample[i] = ^c
		}
	}
	bucket.SortCodes(sample, p.memory)
	return sample
}

// apart returns the places in a sample of the codes that are likely to be before and after rank k. Either may not be there.
func (p *plain[C]) apart(sample []C, k int) (from, to int) {
	mean := float64(len(sample)) * float64(k) / float64(len(p.keys))
	apart := 2.5*math.Sqrt(mean*(1-mean/float64(len(sample)))) + 2
	return int(math.Floor(mean - apart)), int(mean + apart)
}

// bounds returns codes that are likely to be before and after rank k, of all that tie with them; false if half of the keys are likely to
// be between.
func (p *plain[C]) bounds(k int) (in span[C], ok bool) {
	sample := p.sample()
	from, to := p.apart(sample, k)
	in = span[C]{0, ^C(0)}
	if from > 0 {
		in.least, _ = p.tied(sample[from])
	}
	if to < len(sample) {
		_, in.most = p.tied(sample[to])
	}
	between := 0
	for _, c := range sample {
		if in.has(c) {
			between++
		}
	}
	return in, 2*between <= len(sample) || p.tie(in)
}

// within finds the keys in a span, and returns their offsets from its least code and the number of keys before it.
func (p *plain[C]) within(in span[C]) (offsets []C, before int) {
	s := p.span
	if s.Least, s.Most = in.least, in.most; p.desc {
		s.Least, s.Most = ^in.most, ^in.least
	}
	before, n := loops.KeysWithin(p.codes, p.masks, p.keys, s)
	if offsets = p.codes[:n]; p.desc {
		before = len(p.keys) - before - n
		for i, c := range offsets {
			offsets[i] = in.most - in.least - c
		}
	}
	return offsets, before
}

// selected returns the least and the greatest offset of the keys that tie with that of rank k among offsets, and the number of lesser ones;
// false if there is no memory.
func (p *plain[C]) selected(offsets []C, in span[C], k int) (ties span[C], less int, ok bool) {
	moved := p.codes[len(offsets):]
	if len(moved) < len(offsets)+loops.WithinSlack {
		return ties, 0, false
	}
	moved = moved[:len(offsets)]
	copy(moved, offsets)
	c, less := bucket.SelectCode(moved, p.memory, k)
	least, most := p.tied(in.least + c)
	if ties = (span[C]{least - in.least, most - in.least}); ties.least < ties.most {
		less = 0
		for _, c := range offsets {
			if c < ties.least {
				less++
			}
		}
	}
	return ties, less, true
}

// rowsOf returns the rows of ranks ks; false if a sample is wrong.
func (p *plain[C]) rowsOf(ks []int) (rows []uint32, ok bool) {
	defer p.end()
	rows = make([]uint32, len(ks))
	for i, k := range ks {
		row, ok := p.rowOf(k)
		if !ok {
			return nil, false
		}
		rows[i] = uint32(row)
	}
	return rows, true
}

// rowOf returns the row of rank k; false if the sample is wrong.
func (p *plain[C]) rowOf(k int) (row int, ok bool) {
	in, ok := p.bounds(k)
	if !ok {
		return 0, false
	}
	offsets, before := p.within(in)
	if k < before || k >= before+len(offsets) {
		return 0, false
	}
	if p.tie(in) {
		return rowAt(p.masks, k-before), true
	}
	ties, less, ok := p.selected(offsets, in, k-before)
	if !ok {
		return 0, false
	}
	loops.KeysWithin(p.codes[len(offsets):], p.chosen, offsets, loops.KeySpan[C]{Least: ties.least, Most: ties.most})
	return rowAt(p.masks, rowAt(p.chosen, k-before-less)), true
}

// rowAt returns the number of bit number k, from 0, of those that are set.
func rowAt(masks []uint64, k int) int {
	for w, some := range masks {
		n := bits.OnesCount64(some)
		if k >= n {
			k -= n
			continue
		}
		for ; k > 0; k-- {
			some &= some - 1
		}
		return 64*w + bits.TrailingZeros64(some)
	}
	panic("sorter: the keys changed during a selection")
}

// moveFirst moves the first k keys to the front, in order; false, with nothing moved, if the sample is wrong. Keys from there take the places
// of those that are moved.
func (p *plain[C]) moveFirst(kind sortkey.Kind, k int, o sortkey.Order) bool {
	defer p.end()
	most, crowded := p.bound(k)
	last := span[C]{most: most}
	if crowded {
		last.least, _ = p.tied(most)
	}
	var codes []C
	switch {
	case !crowded:
		codes, _ = p.within(last)
	case last.least > 0:
		codes, _ = p.within(span[C]{most: last.least - 1})
	default:
		clear(p.masks)
	}
	n := len(codes)
	if 3*(max(n, k)+loops.WithinSlack) > len(p.codes) || n < k && !(crowded && p.addCrowd(n, k, last)) {
		return false
	}
	if n > k && !p.cut(codes, k) {
		return false
	}
	memory := p.codes[max(n, k)+loops.WithinSlack:]
	rows := sortkey.As[uint32](memory)[:max(n, k)+rowsSlack]
	rowsOf(rows, p.masks)
	if n > k {
		n = 0
		for i, c := range codes {
			codes[n], rows[n] = c, rows[i]
			n += int(p.chosen[i/64] >> (i % 64) & 1) // no branch
		}
	}
	p.exchange(rows[:k], k)
	p.sort(p.codes[:k], memory)
	sortkey.DecodeExactAt(kind, unsafe.Pointer(unsafe.SliceData(p.keys)), p.codes[:k], o)
	return true
}

// bound returns a code that is likely to be after the first k keys, of all that tie with it, and whether many tie.
func (p *plain[C]) bound(k int) (most C, crowded bool) {
	sample := p.sample()
	from, to := p.apart(sample, k-1)
	least, most := p.tied(sample[to]) // the first are a sixteenth at most
	from, end := max(from, 0), to+len(sample)/16
	return most, least <= sample[from] || sample[end] <= most
}

// addCrowd adds the first keys of a span to n that are found, up to k; false if there are not as many.
func (p *plain[C]) addCrowd(n, k int, in span[C]) bool {
	s := p.span
	if s.Least, s.Most = in.least, in.most; p.desc {
		s.Least, s.Most = ^in.most, ^in.least
	}
	for at := 0; at < len(p.keys) && n < k; at += crowdBlock {
		block := p.keys[at:min(at+crowdBlock, len(p.keys))]
		_, found := loops.KeysWithin(p.memory, p.chosen, block, s)
		masks := p.chosen[:(len(block)+63)/64]
		if found > k-n {
			last := rowAt(masks, k-n-1)
			masks[last/64] &= ^uint64(0) >> (63 - last%64)
			clear(masks[last/64+1:])
		}
		for i, mask := range masks {
			p.masks[at/64+i] |= mask
		}
		for _, c := range p.memory[:min(found, k-n)] {
			if p.desc {
				c = in.most - in.least - c
			}
			p.codes[n] = in.least + c
			n++
		}
	}
	return n == k
}

// crowdBlock is the keys that addCrowd reads at a time.
const crowdBlock = 1 << 10

// cut sets a bit in p.chosen for each of the first k of codes, which are those of the keys that are found; false if there is no memory.
func (p *plain[C]) cut(codes []C, k int) bool {
	ties, _, ok := p.selected(codes, span[C]{}, k-1)
	if !ok {
		return false
	}
	_, n := loops.KeysWithin(p.codes[len(codes):], p.chosen, codes, loops.KeySpan[C]{Most: ties.most})
	for i := len(codes) - 1; n > k; i-- { // keys that tie with the last
		if ties.has(codes[i]) {
			p.chosen[i/64] &^= 1 << (i % 64)
			n--
		}
	}
	return true
}

// exchange moves the keys before place k that are not in some rows to the places of those from k on that are.
func (p *plain[C]) exchange(rows []uint32, k int) {
	front := 0
	for _, row := range rows[placeOfRow(rows, k):] {
		for rows[0] == uint32(front) {
			rows = rows[1:]
			front++
		}
		p.keys[row] = p.keys[front]
		front++
	}
}

// placeOfRow returns the place of the first of some rows, in order, that is not before k.
func placeOfRow(rows []uint32, k int) int {
	i, _ := slices.BinarySearch(rows, uint32(k))
	return i
}

// rowsSlack is the number of rows that rowsOf may overwrite after those that it writes.
const rowsSlack = 2

// rowsOf writes the numbers of the bits that are set, and returns how many there are. Few are set: the first two of each word are written
// whether they are there or not, since they cannot be predicted.
func rowsOf(rows []uint32, masks []uint64) (n int) {
	for w, some := range masks {
		count, base := bits.OnesCount64(some), uint32(64*w)
		rows[n] = base + uint32(bits.TrailingZeros64(some))
		some &= some - 1
		rows[n+1] = base + uint32(bits.TrailingZeros64(some))
		for i := n + 2; i < n+count; i++ {
			some &= some - 1
			rows[i] = base + uint32(bits.TrailingZeros64(some))
		}
		n += count
	}
	return n
}

// sort sorts codes. Those of keys that tie stay in input order: zeros, and NaNs. They are copied to memory.
func (p *plain[C]) sort(codes, memory []C) {
	if !p.ties {
		bucket.SortCodes(codes, p.memory)
		return
	}
	sign := p.span.Negative + 1
	numbers := span[C]{p.ofKey(sign | p.infinity), p.ofKey(p.infinity)}
	zeros := span[C]{p.ofKey(sign), p.ofKey(0)}
	if p.desc {
		numbers, zeros = span[C]{numbers.most, numbers.least}, span[C]{zeros.most, zeros.least}
	}
	n := 0
	for _, c := range codes {
		if zeros.has(c) || !numbers.has(c) {
			memory[n] = c
			n++
		}
	}
	bucket.SortCodes(codes, p.memory)
	if n == 0 {
		return
	}
	zero, _ := slices.BinarySearch(codes, zeros.least)
	nan := 0
	if codes[0] >= numbers.least { // NaNs are last
		nan, _ = slices.BinarySearch(codes, numbers.most+1)
	}
	for _, c := range memory[:n] {
		to := &nan
		if zeros.has(c) {
			to = &zero
		}
		codes[*to] = c
		*to++
	}
}
