// Package terms proves the sorting networks of the kernels: it runs them on terms in place of words, on the CPU,
// with -tags cudacpu.
package terms
