package extsort

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// program encodes and decodes values of one type, field by field, without reflection. An encoding begins with the fields
// of fixed size, at fixed places. Then come the others, texts last: the memory that the texts of an element share has
// few other bytes.
type program struct {
	fixed int      // bytes of the fields of fixed size
	moves []move   // of these fields
	bools []uint32 // places of bools in the encoding
	steps []step   // of the other fields
	least int      // bytes of the shortest encoding

	fields string // a checksum of the types and names of fields
}

// move copies fields of fixed size that follow each other without a gap.
type move struct {
	offset uintptr // in the value
	at     uint32  // in the encoding
	size   uint32
}

// step is a field whose encoding varies in length.
type step struct {
	kind   stepKind
	offset uintptr
	sub    *program              // of the value of a pointer, or of an element
	n      int                   // elements of an array
	size   uintptr               // of an element
	make   func() unsafe.Pointer // new memory for the value of a pointer
}

type stepKind uint8

const (
	textStep    stepKind = iota // a length, and bytes
	bytesStep                   // 0 for nil; otherwise a length above it by one, and bytes
	timeStep                    // seconds, nanoseconds and zone, and the offset of other zones than UTC and that of the machine
	addrStep                    // a length, and the bytes of AppendBinary
	pointerStep                 // 0 for nil; otherwise 1 and a value
	arrayStep                   // values
)

// append appends the encoding of the value at v.
//
// Sound: v is the address of a value of the program's type, and each offset that of a field of the type that the step or
// move is for. Fields are read only.
func (p *program) append(dst []byte, v unsafe.Pointer) []byte {
	if p.fixed > 0 {
		at := len(dst)
		dst = slices.Grow(dst, p.fixed)[:at+p.fixed]
		p.take(unsafe.Pointer(unsafe.SliceData(dst[at:])), v)
	}
	for i := range p.steps {
		s := &p.steps[i]
		switch f := unsafe.Add(v, s.offset); s.kind {
		case textStep:
			text := *(*string)(f)
			dst = append(appendLength(dst, uint64(len(text))), text...)
		case bytesStep:
			if b := *(*[]byte)(f); b == nil {
				dst = append(dst, 0)
			} else {
				dst = append(appendLength(dst, uint64(len(b))+1), b...)
			}
		case timeStep:
			dst = appendTime(dst, *(*time.Time)(f))
		case addrStep:
			dst = appendAddr(dst, *(*netip.Addr)(f))
		case pointerStep:
			if to := *(*unsafe.Pointer)(f); to == nil {
				dst = append(dst, 0)
			} else {
				dst = s.sub.append(append(dst, 1), to)
			}
		case arrayStep:
			for k := range s.n {
				dst = s.sub.append(dst, unsafe.Add(f, uintptr(k)*s.size))
			}
		}
	}
	return dst
}

// take writes the fields of fixed size of the value at v to p.fixed bytes at an address. Sound as append.
func (p *program) take(to, v unsafe.Pointer) {
	for i := range p.moves {
		m := &p.moves[i]
		moveBytes(unsafe.Add(to, m.at), unsafe.Add(v, m.offset), m.size)
	}
}

// put undoes take. Sound as append: the fields hold no pointers, and bools were checked.
func (p *program) put(v, from unsafe.Pointer) {
	for i := range p.moves {
		m := &p.moves[i]
		moveBytes(unsafe.Add(v, m.offset), unsafe.Add(from, m.at), m.size)
	}
}

// moveBytes copies bytes, which may have any alignment. Sound: both addresses have as many.
func moveBytes(to, from unsafe.Pointer, size uint32) {
	switch size {
	case 8:
		*(*[8]byte)(to) = *(*[8]byte)(from)
	case 4:
		*(*[4]byte)(to) = *(*[4]byte)(from)
	case 1:
		*(*byte)(to) = *(*byte)(from)
	case 16:
		*(*[16]byte)(to) = *(*[16]byte)(from)
	default:
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
	}
}

// appendLength appends a length, of one byte up to 127.
func appendLength(dst []byte, n uint64) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, n)
}

// Zones of times, in the highest bits of their nanoseconds.
const (
	inUTC   = 0
	inLocal = 1
	inOther = 2 // with an offset in seconds

	zoneShift = 30
	zoneBytes = 8 + 4 + 8 // of a time in another zone
)

func appendTime(dst []byte, t time.Time) []byte {
	zone, offset := uint32(inUTC), 0
	switch t.Location() {
	case time.UTC:
	case time.Local:
		zone = inLocal
	default:
		zone = inOther
		_, offset = t.Zone()
	}
	var instant [8 + 4]byte
	binary.LittleEndian.PutUint64(instant[:], uint64(t.Unix()))
	binary.LittleEndian.PutUint32(instant[8:], uint32(t.Nanosecond())|zone<<zoneShift)
	dst = append(dst, instant[:]...)
	if zone == inOther {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(offset))
	}
	return dst
}

func appendAddr(dst []byte, a netip.Addr) []byte {
	at := len(dst)
	dst, _ = a.AppendBinary(append(dst, 0)) // no error: see its documentation
	if n := len(dst) - at - 1; n < 0x80 {
		dst[at] = byte(n)
		return dst
	}
	long := slices.Clone(dst[at+1:])
	return append(appendLength(dst[:at], uint64(len(long))), long...)
}

// decoder reads an encoding.
type decoder struct {
	src []byte // what is left
	own bool   // src is memory of the element, to which its texts point
}

// decode writes the value that is encoded to v, and reports whether one is.
//
// Sound: v is the address of a zero value of the program's type, which the caller owns, and offsets are those of fields,
// as in append. Fields that hold pointers are written by their types, strings and byte slices point to memory of the
// element, and other pointers to new memory of their type.
func (d *decoder) decode(p *program, v unsafe.Pointer) bool {
	if len(d.src) < p.least {
		return false
	}
	if p.fixed > 0 {
		for _, at := range p.bools {
			if d.src[at] > 1 {
				return false
			}
		}
		p.put(v, unsafe.Pointer(unsafe.SliceData(d.src)))
		d.src = d.src[p.fixed:]
	}
	ok := true
	for i := 0; ok && i < len(p.steps); i++ {
		s := &p.steps[i]
		switch f := unsafe.Add(v, s.offset); s.kind {
		case textStep:
			var b []byte
			if b, ok = d.text(0); len(b) > 0 {
				*(*string)(f) = unsafe.String(unsafe.SliceData(b), len(b)) // sound: nobody else has these bytes
			}
		case bytesStep:
			*(*[]byte)(f), ok = d.text(1)
		case timeStep:
			*(*time.Time)(f), ok = d.time()
		case addrStep:
			*(*netip.Addr)(f), ok = d.addr()
		case pointerStep:
			ok = d.pointer(s, (*unsafe.Pointer)(f))
		case arrayStep:
			for k := 0; ok && k < s.n; k++ {
				ok = d.decode(s.sub, unsafe.Add(f, uintptr(k)*s.size))
			}
		}
	}
	return ok
}

// length reads a length, in the fewest bytes that hold it.
func (d *decoder) length() (n uint64, ok bool) {
	if len(d.src) > 0 && d.src[0] < 0x80 {
		n, d.src = uint64(d.src[0]), d.src[1:]
		return n, true
	}
	n, bytes := binary.Uvarint(d.src)
	if bytes <= 0 || n>>(7*(bytes-1)) == 0 {
		return 0, false
	}
	d.src = d.src[bytes:]
	return n, true
}

// text reads a length that is above by some number, and as many bytes. They are memory of the element, and nil for a
// length below.
func (d *decoder) text(above uint64) (b []byte, ok bool) {
	n, ok := d.length()
	switch {
	case !ok || n > uint64(len(d.src))+above:
		return nil, false
	case n < above:
		return nil, true
	case n == above:
		return []byte{}, true
	}
	if !d.own {
		own := make([]byte, len(d.src)) // of the texts that follow, too
		copy(own, d.src)
		d.src, d.own = own, true
	}
	n -= above
	b, d.src = d.src[:n:n], d.src[n:]
	return b, true
}

// locations are the zones by their offsets: a time in one takes no memory of its own.
var locations sync.Map

func (d *decoder) time() (t time.Time, ok bool) {
	if len(d.src) < 8+4 {
		return t, false
	}
	seconds, nanoseconds := int64(binary.LittleEndian.Uint64(d.src)), binary.LittleEndian.Uint32(d.src[8:])
	zone := nanoseconds >> zoneShift
	if nanoseconds &= 1<<zoneShift - 1; nanoseconds >= 1e9 || zone > inOther {
		return t, false
	}
	if t = time.Unix(seconds, int64(nanoseconds)); zone != inOther {
		if d.src = d.src[8+4:]; zone == inUTC {
			t = t.UTC()
		}
		return t, true
	}
	if len(d.src) < zoneBytes {
		return t, false
	}
	wide := int64(binary.LittleEndian.Uint64(d.src[8+4:]))
	offset := int(wide)
	if int64(offset) != wide { // of another machine: an int has 32 bits here
		return t, false
	}
	d.src = d.src[zoneBytes:]
	in, ok := locations.Load(offset)
	if !ok {
		in, _ = locations.LoadOrStore(offset, time.FixedZone("", offset))
	}
	return t.In(in.(*time.Location)), true
}

func (d *decoder) addr() (a netip.Addr, ok bool) {
	n, ok := d.length()
	if !ok || n > uint64(len(d.src)) || a.UnmarshalBinary(d.src[:n]) != nil {
		return a, false
	}
	d.src = d.src[n:]
	return a, true
}

// pointer reads a pointer. It takes no memory for a value that the rest of the encoding is too short for.
func (d *decoder) pointer(s *step, to *unsafe.Pointer) bool {
	if len(d.src) == 0 || d.src[0] > 1 {
		return false
	}
	some := d.src[0] == 1
	if d.src = d.src[1:]; !some {
		return true
	}
	if len(d.src) < s.sub.least {
		return false
	}
	v := s.make()
	*to = v
	return d.decode(s.sub, v)
}
