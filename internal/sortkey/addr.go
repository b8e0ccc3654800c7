package sortkey

import (
	"encoding/binary"
	"net/netip"
)

// The words of an address are those of 130 bits, its version and its number, and then its zone, seven bytes each. The
// version and an address of IPv4 are the 34 highest bits of word 0. A zone has any length.

// AddrBits are the highest bits of word 0 that hold an address of IPv4, or the zero address, whole.
const AddrBits = 34

// addrWord returns word j of an address.
func addrWord(a netip.Addr, j int) uint64 {
	switch {
	case a.Is4() && j == 0:
		b := a.As4()
		return 1<<62 | uint64(binary.BigEndian.Uint32(b[:]))<<30
	case !a.Is6():
		return 0
	}
	b := a.As16()
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	switch j {
	case 0:
		return 1<<63 | hi>>1
	case 1:
		return hi<<63 | lo>>1
	case 2:
		return lo<<63 | zoneWord(a.Zone(), 0)
	}
	return zoneWord(a.Zone(), j-2)
}

// zoneWord returns bytes 7i … 7i+6 of a zone and, in the lowest bits, how many are left from these on, at most 8.
func zoneWord(zone string, i int) uint64 {
	if 7*i >= len(zone) {
		return 0
	}
	rest := zone[7*i:]
	return Prefix(rest)>>8<<7 | uint64(min(len(rest), 8))
}

// AddrWords is the number of words of an address whose zone has some bytes.
func AddrWords(zone int) int { return 2 + max(1, (zone+6)/7) }

func encodeAddrs(dst []uint64, addrs []netip.Addr, j int, flip uint64) {
	for i := range addrs {
		dst[i] = addrWord(addrs[i], j) ^ flip
	}
}

// compareAddrs compares whole addresses.
func compareAddrs(a, b *netip.Addr, desc bool) int {
	if desc {
		a, b = b, a
	}
	return a.Compare(*b)
}
