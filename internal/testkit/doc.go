// Package testkit is what tests of several packages share: how much of them runs
// where, goroutines that a call leaves, contexts that end, a stable sort, and whether an order is stable.
package testkit
