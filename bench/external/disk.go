package main

import (
	"time"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// bandwidth measures how fast a directory is written and read past the page cache, in GB/s.
func bandwidth(dir string) (write, read float64, err error) {
	const size, chunk = 512 << 20, 2 << 20 // a huge page
	f, err := spill.System{}.Create(dir)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	p := scratch.Pages(chunk)
	rate := func(do func(off int64) error) (float64, error) {
		start := time.Now()
		for off := int64(0); off < size; off += chunk {
			if err := do(off); err != nil {
				return 0, err
			}
		}
		return size / time.Since(start).Seconds() / 1e9, nil
	}
	write, err = rate(func(off int64) error { _, err := f.WriteAt(p, off); return err })
	if err == nil {
		read, err = rate(func(off int64) error { _, err := f.ReadAt(p, off); return err })
	}
	return write, read, err
}
