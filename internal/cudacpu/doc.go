// Package cudacpu is a CUDA driver without a GPU, for tests built with
// -tags cudacpu: the kernels' own sources, compiled by g++, run on the CPU
// under a scheduler that looks for their mistakes, and the driver's calls are
// made to fail, or do their work late, as a test wants. cudacpu.h lists the mistakes
// that it finds; package internal/cuda makes the calls.
package cudacpu
