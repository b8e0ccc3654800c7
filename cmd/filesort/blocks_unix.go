//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// blocks returns the number of blocks that a file has on its disk.
func blocks(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks
	}
	return 0
}
