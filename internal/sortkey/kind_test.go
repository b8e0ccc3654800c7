package sortkey

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// TestEveryKind fails for a kind that a table or an encoder leaves out.
func TestEveryKind(t *testing.T) {
	for k := Kind(0); int(k) < Kinds; k++ {
		of := ofKinds[k]
		texts := k >= String // of any number of words
		if of.size == 0 || of.size > 255 || k.Size() != of.size {
			t.Errorf("kind %d: %d bytes", k, of.size)
		}
		if (of.bits == 0) != k.Wide() || CodeBits[k] != int(of.bits) || (of.words == 0) != texts {
			t.Errorf("kind %d: %+v, but Wide is %v", k, of, k.Wide())
		}
		if texts {
			continue
		}
		var keys [2][8]uint64 // two zeros and, of each byte's lowest bit, a key that differs
		for i := range keys[1] {
			keys[1][i] = 0x0101010101010101
		}
		if k == Time {
			keys[1] = [8]uint64{1} // one nanosecond later
		}
		a, b := unsafe.Pointer(&keys[0]), unsafe.Pointer(&keys[1])
		differ := false
		for j := range k.Words() {
			var codes [2]uint64
			EncodeWordAt(k, codes[:1], a, j, Order{})
			EncodeWordAt(k, codes[1:], b, j, Order{})
			differ = differ || codes[0] != codes[1]
		}
		if !differ {
			t.Errorf("kind %d: the words of two keys are the same", k)
		}
	}
}

// TestByteArrays compares the codes of arrays of every length, of all words, with the order of their bytes.
func TestByteArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= MostBytes; n++ {
		k, ok := OfType(reflect.ArrayOf(n, reflect.TypeFor[byte]()))
		if !ok || k.Size() != uintptr(n) || k.IsArray() != (n > 1) || k.Wide() != (n > 8) {
			t.Fatalf("[%d]byte: kind %d of %d bytes, %v", n, k, k.Size(), ok)
		}
		const many = 40
		keys := make([]byte, many*n)
		for i := range keys {
			keys[i] = "\x00\x01\x7f\x80\xff"[r.IntN(5)]
		}
		for i := 0; i < many; i++ { // many share their first bytes
			copy(keys[i*n:], keys[:r.IntN(n+1)])
		}
		for _, o := range []Order{{}, {Desc: true}} {
			words := make([][many]uint64, k.Words())
			for j := range words {
				EncodeWordAt(k, words[j][:], unsafe.Pointer(&keys[0]), j, o)
			}
			for a := range many {
				for b := range many {
					want := bytes.Compare(keys[a*n:][:n], keys[b*n:][:n])
					if o.Desc {
						want = -want
					}
					got := 0
					for j := range words {
						got = cmp.Or(got, cmp.Compare(words[j][a], words[j][b]))
					}
					if got != want || compareWords(k, unsafe.Pointer(&keys[a*n]), unsafe.Pointer(&keys[b*n]), 0, o) != want {
						t.Fatalf("%x and %x, %+v: %d by codes, want %d", keys[a*n:][:n], keys[b*n:][:n], o, got, want)
					}
				}
			}
		}
	}
	for _, n := range []int{0, 65} {
		if _, ok := OfType(reflect.ArrayOf(n, reflect.TypeFor[byte]())); ok {
			t.Errorf("[%d]byte is a key", n)
		}
	}
}

// TestAddrWords compares the words of addresses with Compare of package netip.
func TestAddrWords(t *testing.T) {
	addrs := []netip.Addr{{}, netip.IPv4Unspecified(), netip.IPv6Unspecified()}
	for _, s := range []string{"0.0.0.1", "127.255.255.255", "128.0.0.0", "255.255.255.255", "::1", "::2", "::3", "::ffff:0.0.0.1", "::ffff:255.255.255.255",
		"fe80::1", "fe80::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "0:0:0:1::", "0:0:0:2::", "0:0:0:3::", "7fff::", "8000::", "::8000:0:0:0"} {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	for _, a := range slices.Clone(addrs) {
		for _, zone := range []string{"a", "a\x00", "b", "eth0", "1234567", "12345678", "1234567\x00", "12345678901234", "123456789012345", "12345678901234\x00", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
			if a.Is6() {
				addrs = append(addrs, a.WithZone(zone))
			}
		}
	}
	for _, o := range []Order{{}, {Desc: true}} {
		for _, a := range addrs {
			for _, b := range addrs {
				want := a.Compare(b)
				if o.Desc {
					want = -want
				}
				if got := CompareRest(Addr, unsafe.Pointer(&a), unsafe.Pointer(&b), o); got != want {
					t.Fatalf("%v and %v: %d, want %d", a, b, got, want)
				}
				got := 0
				for j := 0; j < AddrWords(max(len(a.Zone()), len(b.Zone()))); j++ {
					var codes [2]uint64
					EncodeWordAt(Addr, codes[:1], unsafe.Pointer(&a), j, o)
					EncodeWordAt(Addr, codes[1:], unsafe.Pointer(&b), j, o)
					got = cmp.Or(got, cmp.Compare(codes[0], codes[1]))
					if whole := !a.Is6() && !b.Is6(); whole && j == 0 && cmp.Compare(codes[0]>>(64-AddrBits), codes[1]>>(64-AddrBits)) != want {
						t.Fatalf("%v and %v: not whole in %d bits", a, b, AddrBits)
					}
				}
				if got != want {
					t.Fatalf("%v and %v, %+v: %d by words, want %d", a, b, o, got, want)
				}
			}
		}
	}
}

// TestKindOfStructs has all types of keys that are structs, under names of their own where keys may have some.
func TestKindOfStructs(t *testing.T) {
	type signed struct {
		Lo uint64
		Hi int64
	}
	type unsigned struct{ Lo, Hi uint64 }
	for of, want := range map[reflect.Type][2]Kind{
		reflect.TypeFor[time.Time]():  {Time, KindOf[time.Time]()},
		reflect.TypeFor[netip.Addr](): {Addr, KindOf[netip.Addr]()},
		reflect.TypeFor[Int128]():     {Integer128, KindOf[Int128]()},
		reflect.TypeFor[Uint128]():    {Unsigned128, KindOf[Uint128]()},
		reflect.TypeFor[signed]():     {Integer128, KindOf[signed]()},
		reflect.TypeFor[unsigned]():   {Unsigned128, KindOf[unsigned]()},
	} {
		if k, ok := OfType(of); !ok || k != want[0] || want[1] != want[0] {
			t.Errorf("%v: kind %d by its type and %d by K, want %d", of, k, want[1], want[0])
		}
	}
	if _, ok := OfType(reflect.TypeFor[struct{ Lo, Hi int64 }]()); ok {
		t.Error("a struct of other fields is a key")
	}
}
