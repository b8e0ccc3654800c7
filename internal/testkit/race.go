//go:build race

package testkit

// race reports whether the race detector is built in.
const race = true
