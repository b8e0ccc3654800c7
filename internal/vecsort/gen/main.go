// The generator of the vector code of package vecsort.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns are the numbers of all rows as words, which are those of columns, too.
var columns Mem

// vectors are the registers of AVX-512.
var vectors = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31}

// spillBytes is that of package vecsort.
const spillBytes = 896

func main() {
	ConstraintExpr("amd64")
	columns = GLOBL("numbers", RODATA|NOPTR)
	for i := range mostRows {
		DATA(4*i, U32(i))
	}
	rows := GLOBL("rows", RODATA|NOPTR)
	for i := range 8 * mostRows {
		DATA(4*i, U32(i/8))
	}
	wide := &machine{name: "joinAVX512", lanes: 16, registers: 31, table: columns}
	wide.vectors = vectors
	wide.function()
	narrow := &machine{name: "joinAVX2", lanes: 8, registers: 15, table: rows}
	narrow.vectors = []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}
	narrow.function()
	deal("dealCodes", "dealCodes deals codes. It stops at the first that has no list or no row.", 4, false, false, false)
	deal("dealPlaces32", "dealPlaces32 deals words of codes and their places, the first of which is place. It stops as dealCodes does.", 4, true, false, false)
	deal("dealPlaces64", "dealPlaces64 is dealPlaces32 for 64-bit codes; it drops the last bits of their offsets.", 8, true, false, false)
	deal("dealCodesBent", "dealCodesBent is dealCodes by pieces.", 4, false, true, false)
	deal("dealPlacesBent32", "dealPlacesBent32 is dealPlaces32 by pieces.", 4, true, true, false)
	deal("dealPlacesBent64", "dealPlacesBent64 is dealPlaces64 by pieces.", 8, true, true, false)
	deal("dealCodesAt", "dealCodesAt is dealCodes of codes at the given offsets.", 4, false, false, true)
	offsets("offsets32", 4)
	offsets("offsets64", 8)
	mirrors := &tables{at: GLOBL("mirrors", RODATA|NOPTR), of: map[int]int{}}
	(&few{bytes: 4, tables: mirrors}).function()
	(&few{bytes: 8, tables: mirrors}).function()
	if slotAt+slots != spillBytes {
		panic(fmt.Sprintf("values take %d bytes beside the registers", slotAt+slots))
	}
	Generate()
}
