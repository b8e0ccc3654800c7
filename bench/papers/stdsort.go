package main

import (
	"unsafe"

	"example.com/sorter"
)

// stdSort is the name of C++'s sort, compiled by this machine's compiler.
const stdSort = "std::sort"

// stdSorts sort n elements each, by the name of their type in stdsort.cc.txt.
type stdSorts map[string]func(s unsafe.Pointer, n int)

func sortByStd[E element](std stdSorts, s []E) {
	if len(s) == 0 {
		return
	}
	var e E
	name := map[any]string{int32(0): "sort_int32", float32(0): "sort_float", sorter.Float4{}: "sort_float4"}[e]
	std[name](unsafe.Pointer(&s[0]), len(s))
}
