package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// uncached reads a file past the page cache, which would copy each byte and push out those of
// other files.
type uncached struct {
	cached, past *os.File
	at           int64
}

// leastUncached is the number of bytes of a read from which on it goes past the cache, which
// reads ahead of shorter ones.
const leastUncached = 256 << 10

// readPastCache has in read its file, from the front, past the page cache: if the file system
// allows that, and the cache has less than half of it.
func (in *input) readPastCache() {
	if mostlyCached(in.file, in.size) {
		return
	}
	past, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", in.file.Fd()), os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return
	}
	in.Reader = &uncached{cached: in.file, past: past}
	in.closers = append(in.closers, past.Close)
}

func (u *uncached) Read(p []byte) (n int, err error) {
	err = syscall.EINVAL
	if whole := p[:len(p)/pageSize*pageSize]; len(whole) >= leastUncached && pageOffset(p) == 0 && u.at%pageSize == 0 {
		n, err = u.past.ReadAt(whole, u.at)
		err = withName(err, u.cached)
	}
	if n == 0 && errors.Is(err, syscall.EINVAL) { // other places or lengths are asked for
		n, err = u.cached.ReadAt(p, u.at)
	}
	u.at += int64(n)
	if n > 0 { // an error is that of the next read, too, unless the file has grown: then it is none
		err = nil
	}
	return n, err
}

// mostlyCached reports whether the page cache has half of some pages of a file.
func mostlyCached(f *os.File, size int64) bool {
	const probes = 64
	if size <= 0 || size != int64(int(size)) {
		return false
	}
	all, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return false
	}
	defer syscall.Munmap(all)
	cached := 0
	for i := range int64(probes) {
		at := size / probes * i / pageSize * pageSize
		resident := byte(0)
		// The address is one of the mapping, which lives as long as the call, and resident has a
		// byte for its one page.
		_, _, failed := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(&all[at])), 1, uintptr(unsafe.Pointer(&resident)))
		if failed == 0 && resident&1 != 0 {
			cached++
		}
	}
	return cached >= probes/2
}
