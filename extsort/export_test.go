package extsort

import "example.com/sorter/internal/spill"

// OnDisk makes a Sorter use a disk of the test.
func OnDisk(d spill.Disk) Option { return func(o *options) { o.disk = d } }

// ReadsAhead reports whether the system reads blocks of the runs ahead.
func ReadsAhead[E any](s *Sorter[E]) bool { return s.readsAhead(s.runs) }
