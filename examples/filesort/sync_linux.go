package main

import (
	"os"
	"syscall"
)

// syncing is a file whose bytes go to the disk while more are written, so that the sync at the
// end has little left to do.
type syncing struct {
	*os.File
	at, begun int64
}

const syncStep = 8 << 20

func (f *syncing) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.at += int64(n)
	if f.at-f.begun >= syncStep {
		const write = 2 // SYNC_FILE_RANGE_WRITE, which waits for nothing
		_ = syscall.SyncFileRange(int(f.Fd()), f.begun, f.at-f.begun, write)
		f.begun = f.at
	}
	return n, err
}
