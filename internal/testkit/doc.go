// Package testkit is what tests of several packages share: how much of them runs
// where, and what a call leaves on the scheduler.
package testkit
