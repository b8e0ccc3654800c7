package main

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"

	"example.com/sorter"
)

// Rows that go to disk are strings that begin with the values of the sort columns, so that
// these are parsed once:
//
//	4 bytes   length of the row
//	a slot    for each column: one byte that says whether it is null, then the value
//	the row
//	values that are no part of the row, because quotes or escapes are undone
//
// The value of a string column is its place in all of this and its length.

// packing is the layout of packed rows.
type packing struct {
	specs []spec // none of kind auto
	slots []int  // where the slots begin
	row   int    // where the row begins
}

const rowLength = 4

func newPacking(specs []spec) *packing {
	p := &packing{specs: specs, row: rowLength}
	for _, s := range specs {
		p.slots = append(p.slots, p.row)
		p.row += 1 + map[kind]int{integer: 8, float: 8, boolean: 1, instant: 12, text: 8}[s.kind]
	}
	return p
}

// pack appends a packed row to dst. bad is the first column whose value is not of its kind, or
// -1.
func (p *packing) pack(dst []byte, row string, values []string, nulls []bool) (packed []byte, bad int) {
	start := len(dst)
	dst = append(dst, make([]byte, p.row)...)
	dst = append(dst, row...)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(row)))
	for c, s := range p.specs {
		at := start + p.slots[c]
		if nulls[c] {
			dst[at] = 1
			continue
		}
		value, ok := values[c], true
		switch slot := dst[at+1:]; s.kind {
		case integer:
			var v int64
			v, ok = parseInt(value)
			binary.LittleEndian.PutUint64(slot, uint64(v))
		case float:
			var v float64
			v, ok = parseFloat(value)
			binary.LittleEndian.PutUint64(slot, math.Float64bits(v))
		case boolean:
			var v bool
			if v, ok = parseBool(value); v {
				slot[0] = 1
			}
		case instant:
			var v time.Time
			v, ok = parseTime(value)
			binary.LittleEndian.PutUint64(slot, uint64(v.Unix()))
			binary.LittleEndian.PutUint32(slot[8:], uint32(v.Nanosecond()))
		default:
			place := p.row + offsetIn(row, value)
			if place < p.row {
				place = len(dst) - start
				dst = append(dst, value...)
				slot = dst[at+1:]
			}
			binary.LittleEndian.PutUint32(slot, uint32(place))
			binary.LittleEndian.PutUint32(slot[4:], uint32(len(value)))
		}
		if !ok {
			return dst, c
		}
	}
	return dst, -1
}

// offsetIn returns where part lies in the memory of s, or a very small number if it does not.
func offsetIn(s, part string) int {
	// Sound: the addresses are only compared, and both strings are in use.
	from, at := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	if part == "" {
		return 0
	}
	if at < from || at-from > uintptr(len(s)) || uintptr(len(part)) > uintptr(len(s))-(at-from) {
		return math.MinInt32
	}
	return int(at - from)
}

// rowOf returns the row of a packed one.
func (p *packing) rowOf(packed string) string {
	return packed[p.row : p.row+int(uint32At(packed, 0))]
}

// order returns the order of packed rows.
func (p *packing) order() sorter.Ordering[string] {
	var columns []sorter.Column[string]
	for c, s := range p.specs {
		at := p.slots[c] + 1
		var by sorter.Column[string]
		switch s.kind {
		case integer:
			by = directed(func(e string) int64 { return int64(uint64At(e, at)) }, s.desc)
		case float:
			by = directed(func(e string) float64 { return math.Float64frombits(uint64At(e, at)) }, s.desc).NaNsLast()
		case boolean:
			by = directed(func(e string) bool { return e[at] != 0 }, s.desc)
		case instant:
			by = directed(func(e string) time.Time { return time.Unix(int64(uint64At(e, at)), int64(uint32At(e, at+8))).UTC() }, s.desc)
		default:
			by = directed(func(e string) string {
				from, n := uint32At(e, at), uint32At(e, at+4)
				return e[from : from+n]
			}, s.desc)
		}
		isNull := func(e string) bool { return e[at-1] != 0 }
		if s.nullsFirst {
			by = by.NullsFirst(isNull)
		} else {
			by = by.NullsLast(isNull)
		}
		columns = append(columns, by)
	}
	return sorter.By(columns...)
}

func uint32At(s string, at int) uint32 {
	b := s[at : at+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func uint64At(s string, at int) uint64 {
	return uint64(uint32At(s, at)) | uint64(uint32At(s, at+4))<<32
}
