package extsort

import "time"

// Stats says what a sort did.
type Stats struct {
	Elements int64 // accepted
	Dropped  int64 // of them, because of Limit or Unique
	Runs     int   // written from memory
	Merges   int   // of adjacent runs into longer ones, before the last merge
	Parts    int   // ranges of keys of the last merge
	Largest  int   // elements of the largest of them

	Written, Read int64 // bytes of run files
	Disk          int64 // most bytes on disk at a time
	Memory        int64 // bytes: elements, the bound of scratch memory, indices and buffers
	Dirs          []string
	InMemory      []string // of Dirs, those that are kept in memory

	Sort, Write, Merge time.Duration // sorting runs; waiting for their writes; from the first element handed out to the last
}

// Progress says how far a sort is.
type Progress struct {
	Stage       string // "runs" or "merge"
	Done, Total int64  // elements; Total is 0 as long as it is unknown
}
