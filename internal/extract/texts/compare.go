// Package texts compares strings: whole ones in turns that check a context, those of a run with one of them, few by
// insertion, and neighbours where they lie.
package texts

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/sortkey"
)

// Key is the type by which strings and byte slices of any named type are stored.
type Key interface{ string | []byte }

// Header is the beginning of a string or byte slice: the address and the number of bytes.
type Header struct {
	Data unsafe.Pointer
	Len  int
}

const (
	// Long is the number of bytes above which a comparison checks the context.
	Long = 4 << 10
	// Turn is the most bytes of a string that are compared between two checks of the
	// context. They take 0.1 ms from memory (EPYC of 2022).
	Turn = 1 << 20
)

// Compare compares two strings. If both are long, it checks the context of loop before
// every Turn bytes. In a cancelled sort the result is meaningless.
func Compare(loop *parallel.Loop, a, b string) int {
	if len(a) <= Long {
		return strings.Compare(a, b)
	}
	return compareLong(loop, a, b)
}

func compareLong(loop *parallel.Loop, a, b string) int {
	for n := min(len(a), len(b)); n > Long && loop != nil; n = min(len(a), len(b)) {
		if loop.Err() != nil {
			return 0
		}
		n = min(n, Turn)
		if c := strings.Compare(a[:n], b[:n]); c != 0 {
			return c
		}
		a, b = a[n:], b[n:]
	}
	return strings.Compare(a, b)
}

// Same returns the number of leading keys that equal s: of n keys, the first at an address and the
// next ones size bytes apart each. If s has 4 to 16 bytes, as most names have, it compares without a call.
//
// Sound if there are such strings or byte slices: both begin with a header.
func Same(loop *parallel.Loop, key unsafe.Pointer, size uintptr, n int, s string) int {
	long := len(s)
	switch {
	case long > Long:
		for i := range n {
			if k := *(*string)(unsafe.Add(key, uintptr(i)*size)); len(k) != long || Compare(loop, k, s) != 0 {
				return i
			}
		}
	case long < 4 || long > 16:
		for i := range n {
			if *(*string)(unsafe.Add(key, uintptr(i)*size)) != s {
				return i
			}
		}
	case long < 8:
		head, tail := ends4(unsafe.Pointer(unsafe.StringData(s)), long)
		for i := range n {
			h := (*Header)(unsafe.Add(key, uintptr(i)*size))
			if h.Len != long {
				return i
			}
			if a, b := ends4(h.Data, long); a != head || b != tail {
				return i
			}
		}
	default:
		head, tail := ends8(unsafe.Pointer(unsafe.StringData(s)), long)
		for i := range n {
			h := (*Header)(unsafe.Add(key, uintptr(i)*size))
			if h.Len != long {
				return i
			}
			if a, b := ends8(h.Data, long); a != head || b != tail {
				return i
			}
		}
	}
	return n
}

// SameMemory returns the number of leading keys that have the address and length of s.
func SameMemory[K sortkey.Key](keys []K, s string) int {
	for i := range keys {
		if k := sortkey.TextOf(&keys[i]); len(k) != len(s) || unsafe.StringData(k) != unsafe.StringData(s) {
			return i
		}
	}
	return len(keys)
}

// ends4 and ends8 return the first and the last four, or eight, of n bytes at p; n >= 4, or
// n >= 8.
func ends4(p unsafe.Pointer, n int) (head, tail uint32) {
	last := unsafe.Add(p, n-4)
	return binary.LittleEndian.Uint32((*[4]byte)(p)[:]), binary.LittleEndian.Uint32((*[4]byte)(last)[:])
}

func ends8(p unsafe.Pointer, n int) (head, tail uint64) {
	last := unsafe.Add(p, n-8)
	return binary.LittleEndian.Uint64((*[8]byte)(p)[:]), binary.LittleEndian.Uint64((*[8]byte)(last)[:])
}

// ComparePrefixed is [Compare] without a call for most strings that differ in their prefixes.
func ComparePrefixed(loop *parallel.Loop, a, b string) int {
	x, y := sortkey.Prefix(a), sortkey.Prefix(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return Compare(loop, a, b)
}
