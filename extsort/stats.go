package extsort

import "time"

// Stats describe a sort.
type Stats struct {
	Elements int64 // accepted
	Dropped  int64 // of them, because of Limit or Unique; before the output ends, those known so far
	Runs     int   // written from memory
	Merges   int   // of adjacent runs into longer ones, before the last merge
	Parts    int   // ranges of keys of the last merge; groups of Incremental
	Largest  int   // elements of the largest of them

	Bytes         int64 // of elements that were written to runs
	Written, Read int64 // bytes of run files, as they are stored
	Disk          int64 // most bytes on disk at a time
	RawBlocks     int64 // blocks that were stored as they are
	S2Blocks      int64 // compressed by S2
	ZstdBlocks    int64 // and by Zstandard
	Memory        int64 // bytes: elements, the bound of scratch memory, indices and buffers; it may pass a limit under 16 MiB, see the package
	Dirs          []string
	InMemory      []string // of Dirs, those that are kept in memory

	// Sort is the time of sorting runs, Write of waiting for their writes, and Merge from the first
	// element handed out to the last.
	Sort, Write, Merge time.Duration
}

// Ratio returns how many bytes of elements a byte on disk holds, or 1 if nothing was written.
func (st *Stats) Ratio() float64 {
	if st.Written == 0 {
		return 1
	}
	return float64(st.Bytes) / float64(st.Written)
}

// Progress says how far a sort is.
type Progress struct {
	Stage       string // "runs" or "merge", of Incremental "groups"
	Done, Total int64  // elements; Total is 0 as long as it is unknown
}
