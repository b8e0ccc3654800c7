package gpu

import (
	"context"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/multi"
	"example.com/sorter/internal/gpu/transfer"
)

// Sorts of lists that lie in parts on several devices.

// Part is the share of one device in a list, for [Engine.SortParts] and [Engine.OrderParts].
// All of it is memory of the device, in its primary context.
type Part struct {
	Codes Ptr // of the part
	N     int // their number

	Result  Ptr // where the results of this part of the sorted list go
	Results int // their number; those of all parts add up to the number of all codes

	After []Stream // streams of the device whose work, given before the call, comes first
}

// SortParts sorts a list of 32- or 64-bit codes that lies in parts on several devices. Part i lies on
// the engine's i-th device, in the order of [Device]. It writes all codes in ascending order to
// the results of the parts, the lowest Results of them to the first part, and so on. The caller
// chooses how many results each part has: as many as it has codes, equally many, or any other
// division, none included. Codes are unchanged.
//
// There are at most as many parts as devices. Each device sorts about as many codes as its part
// has results, also where most codes are equal. Every code crosses the devices' links once, and a
// few twice, by direct stores where devices reach each other's memory, otherwise by copies.
//
// A device takes, besides codes and results, about 2 codes for each of its results and the memory
// of their sort, see [Engine]; where devices do not reach each other, another for each of its
// codes. Memory of different parts lies on different devices; results must not overlap codes. The
// devices begin when all work given to the parts' streams After has ended. SortParts returns when
// all are done, also on an error; then results are undefined. It may be called concurrently, for
// memory that does not overlap. Errors are those of [Engine.OrderDevice]. It panics if there are
// more parts than devices, if the algorithm does not take bits or the numbers of a part, if
// Results do not add up to the codes, or if Result overlaps Codes.
func (e *Engine) SortParts(a sorter.Algorithm, bits int, parts []Part) error {
	return e.ofParts(a, bits, parts, true)
}

// OrderParts writes the stable order of all codes instead of sorted codes. Each result is a 64-bit
// word: the part of a code in the high 32 bits, and its position there in the low 32. So lists may
// have more codes than 32 bits number, and a result says on which device to look. Equal codes are
// ordered by part, then by position.
//
// A device takes besides, for each of its results, about 12 bytes, and 4 for each of its codes.
// Otherwise it is like [Engine.SortParts].
func (e *Engine) OrderParts(a sorter.Algorithm, bits int, parts []Part) error {
	return e.ofParts(a, bits, parts, false)
}

func (e *Engine) ofParts(a sorter.Algorithm, bits int, parts []Part, keys bool) error {
	if len(parts) > len(e.chosen()) {
		panic(fmt.Sprintf("sorter: gpu: %d parts on %d devices", len(parts), len(e.chosen())))
	}
	list, left := make([]multi.Part, len(parts)), 0
	for i, p := range parts {
		p.check(a, bits, i, keys)
		list[i] = p.own()
		left += p.N - p.Results
	}
	if left != 0 {
		panic(fmt.Sprintf("sorter: gpu: parts have %d codes more than results", left))
	}
	if len(parts) == 0 {
		return nil
	}
	return public(e.withSessions(context.Background(), a, len(parts), func(s []transfer.Session) error {
		return multi.Sort(a, bits == 64, keys, list, s)
	}))
}

// own returns the part as the sort of several devices has it.
func (p Part) own() multi.Part {
	after := make([]cuda.Stream, len(p.After))
	for i, s := range p.After {
		after[i] = cuda.Stream(s)
	}
	return multi.Part{Codes: cuda.Ptr(p.Codes), N: p.N, Result: cuda.Ptr(p.Result), Results: p.Results, After: after}
}

// check panics if a sort of parts does not take part i.
func (p Part) check(a sorter.Algorithm, bits, i int, keys bool) {
	size, resultSize := Ptr(bits/8), Ptr(8)
	if keys {
		resultSize = size
	}
	least, larger := min(p.N, p.Results), max(p.N, p.Results)
	most, ok := dispatch.MaxN(a, input{N: larger, Wide: bits == 64, Keys: keys})
	switch {
	case !ok || least < 0 || larger > most || bits != 32 && bits != 64:
		panic(fmt.Sprintf("sorter: gpu: part %d: %d codes of %d bits and %d results by %v: at most %d, of 32 or 64", i, p.N, bits, p.Results, a, most))
	case least > 0 && p.Codes < p.Result+resultSize*Ptr(p.Results) && p.Result < p.Codes+size*Ptr(p.N):
		panic(fmt.Sprintf("sorter: gpu: part %d: %d results at %#x overlap %d codes at %#x", i, p.Results, p.Result, p.N, p.Codes))
	}
}
