// Package conformance holds the library to its specification from outside, on every
// engine: the tests were written from it, not from the code. The oracle is one sentence:
// with sorter.Stable(), a sort equals slices.SortStableFunc by cmp.Compare of the keys,
// element for element. Benchmarks of the public calls lie beside them.
package conformance
