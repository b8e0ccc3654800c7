package main

import (
	"strings"
	"sync"
	"time"
	"unsafe"

	"example.com/sorter"
)

// textShare is the part of the memory that the text of a file may have which is sorted in memory.
const textShare = 4

// rowsFit reports whether the rows of a file, of which there are at most as many as line ends, can be sorted in
// memory. Values may be copies of the text.
func (cmd *command) rowsFit(src *source) bool {
	n := int64(1 + strings.Count(src.text, "\n"))
	row, cell := int64(unsafe.Sizeof(row{})), int64(unsafe.Sizeof("")+1)
	values, growth := int64(0), int64(0)
	for _, s := range cmd.by {
		values += s.valueBytes()
		growth += s.growth
		if cmd.unique {
			values += cell
		}
	}
	parsing := n * (2*row + cell*int64(len(cmd.by)) + values)
	sorting := n*(row+values) + cmd.columnScratch(int(n))
	return (2+growth)*int64(len(src.text))+max(parsing, sorting) <= cmd.memory
}

// valueBytes returns the memory of a value, and of whether it is null: of a number, that of all its keys.
func (s spec) valueBytes() int64 {
	if s.key != nil {
		return int64(unsafe.Sizeof("")) + 1 + shortKey
	}
	switch s.kind {
	case boolean:
		return 1 + 1
	case instant:
		return int64(unsafe.Sizeof(time.Time{})) + 1
	case text:
		return int64(unsafe.Sizeof("")) + 1
	}
	return 2*(8+1) + int64(unsafe.Sizeof("")) + 1
}

// columnScratch bounds the scratch memory of a sort of n rows. Of kinds that are to be found, numbers take most.
func (cmd *command) columnScratch(n int) int64 {
	var columns []sorter.Column[row]
	for _, s := range cmd.by {
		nulls := []bool{}
		texts := ordered(s, nulls, func(row) string { return "" })
		codes := ordered(s, nulls, func(row) uint64 { return 0 })
		switch {
		case s.key != nil:
			columns = append(columns, texts)
		case s.kind == boolean:
			columns = append(columns, ordered(s, nulls, func(row) bool { return false }))
		case s.kind == instant:
			columns = append(columns, ordered(s, nulls, func(row) time.Time { return time.Time{} }))
		case s.kind == text:
			columns = append(columns, texts)
		default:
			columns = append(columns, codes, codes, texts)
		}
		if cmd.unique {
			columns = append(columns, texts)
		}
	}
	return sorter.By(columns...).ScratchBytes(n, sorter.Stable(), sorter.Workers(cmd.workers))
}

// budget bounds the memory of chunks that are on their way.
type budget struct {
	mu    sync.Mutex
	more  sync.Cond
	total int64
	taken int64
	ended bool
}

func newBudget(total int64) *budget {
	b := &budget{total: total}
	b.more.L = &b.mu
	return b
}

// take waits until some bytes are there, or nobody else has any.
func (b *budget) take(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.taken > 0 && b.taken+bytes > b.total && !b.ended {
		b.more.Wait()
	}
	b.taken += bytes
}

func (b *budget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= bytes
	b.more.Broadcast()
}

// end lets all go on, after an error.
func (b *budget) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.more.Broadcast()
}
