// Package gputest opens the GPU engine for the tests of the library, which run
// over it with -tags cudacpu.
package gputest
