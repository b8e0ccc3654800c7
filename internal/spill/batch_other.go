//go:build !linux

package spill

// batch would read several places of files with one wait.
type batch struct{}

// begin begins no request.
func (*batch) begin([]request) {}

func (*batch) wait([]request) {}

func (*batch) close() {}

func readsAhead(File) bool { return false }
