// Package testkit is what tests of several packages share: how much of them runs
// where, and goroutines that a call leaves.
package testkit
