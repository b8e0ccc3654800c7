package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// fromFrame returns the memory of a parameter.
func fromFrame(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// unrolled is the number of codes that a turn of a loop deals.
const unrolled = 4

// deal emits a function that deals words of codes of the given bytes: codes themselves or, with
// places, words with places. It stops at the first code that has no list or no row. A bent one
// finds lists by pieces. With apart, offsets are not made of codes but given beside them.
func deal(name, doc string, bytes int, places, bent, apart bool) {
	signature := "func(codes *uint32, n int, lowest uint32, times TIMES, next *uint32, lists int, rows *uint32, limit int"
	if bytes == 8 {
		signature = "func(codes *uint64, n int, lowest uint64, times TIMES, next *uint32, lists int, rows *uint32, limit int"
	}
	if apart {
		signature = strings.Replace(signature, "lowest uint32", "offsets *uint32", 1)
	}
	if bent {
		signature = strings.Replace(signature, "TIMES", "*[2]uint64", 1)
	} else {
		signature = strings.Replace(signature, "TIMES", "uint64", 1)
	}
	if places {
		signature += ", place, mask uint32"
	}
	if bytes == 8 {
		signature += ", drop uint64"
	}
	if bent {
		signature += ", shift, low uint64, pieces int"
	}
	TEXT(name, NOSPLIT, signature+") (dealt int)")
	Pragma("noescape")
	Doc(doc)
	codes, times, next, lists, rows, limit := RSI, R8, R9, R10, R11, R12
	lowest, place, mask, left := RBX, RDX, R13, RDI
	word, list, at := RAX, R14, R15
	Load(Param("codes"), codes)
	Load(Param("n"), left)
	Load(Param("times"), times)
	Load(Param("next"), next)
	Load(Param("lists"), lists)
	Load(Param("rows"), rows)
	piece := word // is made before a word with a place, and not beside a code
	if !places {
		piece = RDX
	}
	if bent {
		Load(Param("shift"), limit) // and the limit is read from the frame
	} else {
		Load(Param("limit"), limit)
	}
	switch {
	case apart: // the distance of offsets from codes
		Load(Param("offsets"), lowest)
		SUBQ(codes, lowest)
	case bytes == 8:
		Load(Param("lowest"), lowest)
		Load(Param("drop"), RCX)
	default:
		Load(Param("lowest"), lowest.As32())
	}
	if places {
		Load(Param("place"), place.As32())
		Load(Param("mask"), mask.As32())
	}
	one := func(i int) {
		from := Mem{Base: codes, Disp: bytes * i}
		switch {
		case bytes == 8:
			MOVQ(from, list)
			SUBQ(lowest, list)
			SHRQ(CL, list)
		case apart:
			MOVL(from, word.As32())
			MOVL(Mem{Base: codes, Index: lowest, Scale: 1, Disp: bytes * i}, list.As32())
		case places:
			MOVL(from, list.As32())
			SUBL(lowest.As32(), list.As32())
		default:
			MOVL(from, word.As32())
			MOVL(word.As32(), list.As32())
			SUBL(lowest.As32(), list.As32())
		}
		if bent {
			SHRXQ(limit, list, piece)
			CMPQ(piece, fromFrame("pieces"))
			JAE(LabelRef("stop"))
			ADDQ(piece, piece)
			ANDQ(fromFrame("low"), list)
			IMULQ(Mem{Base: times, Index: piece, Scale: 8}, list)
			ADDQ(Mem{Base: times, Index: piece, Scale: 8, Disp: 8}, list)
		} else {
			IMULQ(times, list)
		}
		if places {
			MOVL(list.As32(), word.As32())
			ANDL(mask.As32(), word.As32())
			ORL(place.As32(), word.As32())
		}
		SHRQ(Imm(32), list)
		CMPQ(list, lists)
		JAE(LabelRef("stop"))
		MOVL(Mem{Base: next, Index: list, Scale: 4}, at.As32())
		if bent {
			CMPQ(at, fromFrame("limit"))
		} else {
			CMPQ(at, limit)
		}
		JAE(LabelRef("stop"))
		MOVL(word.As32(), Mem{Base: rows, Index: at, Scale: 4})
		ADDL(lists.As32(), at.As32())
		MOVL(at.As32(), Mem{Base: next, Index: list, Scale: 4})
		if places {
			INCL(place.As32())
		}
	}
	Label("many")
	SUBQ(Imm(unrolled), left)
	JLT(LabelRef("few"))
	for range unrolled {
		one(0)
		ADDQ(Imm(uint64(bytes)), codes)
	}
	JMP(LabelRef("many"))
	Label("few")
	ADDQ(Imm(unrolled), left)
	JZ(LabelRef("stop"))
	Label("next")
	one(0)
	ADDQ(Imm(uint64(bytes)), codes)
	DECQ(left)
	JNZ(LabelRef("next"))
	Label("stop")
	from := Load(Param("codes"), RAX)
	SUBQ(from, codes)
	if bytes == 8 {
		SHRQ(Imm(3), codes)
	} else {
		SHRQ(Imm(2), codes)
	}
	Store(codes, ReturnIndex(0))
	RET()
}
