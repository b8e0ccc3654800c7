package parquetsort

import "sync"

// moverMemory is the memory of one mover after the other.
type moverMemory struct {
	bytes  []byte
	blocks *blocks
}

// slots returns n bytes.
func (mm *moverMemory) slots(n int) []byte {
	if mm.blocks = nil; cap(mm.bytes) < n {
		mm.bytes = nil // before its successor is made
		mm.bytes = make([]byte, n)
	}
	return mm.bytes[:n]
}

// blocksOf returns blocks that take room bytes together.
func (mm *moverMemory) blocksOf(room, parts int) *blocks {
	if mm.blocks == nil {
		mm.bytes = nil
		mm.blocks = &blocks{size: min(max(room/max(parts, 1)/8, leastBlock), mostBlock)}
	}
	mm.blocks.most = max(room/mm.blocks.size, parts)
	return mm.blocks
}

// Bytes of a block. Half a block of each partition is not used.
const (
	leastBlock = 1 << 9
	mostBlock  = 1 << 16
)

// blocks is memory for records of varying length. Blocks are given back by several goroutines.
type blocks struct {
	mu         sync.Mutex
	size       int
	made, most int
	free       [][]byte
}

// take returns a block, nil if there is none.
func (b *blocks) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.free); n > 0 {
		block := b.free[n-1]
		b.free = b.free[:n-1]
		return block
	}
	if b.made == b.most {
		return nil
	}
	b.made++
	return make([]byte, b.size)
}

// giveBack takes the blocks of a partition.
func (b *blocks) giveBack(t *tail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, t.blocks...)
	t.blocks, t.free = t.blocks[:0], 0
}

// tail is records of a partition in memory.
type tail struct {
	blocks [][]byte
	free   int // bytes of the last
}

// filled returns the bytes of a block.
func (t *tail) filled(i int) []byte {
	if i < len(t.blocks)-1 {
		return t.blocks[i]
	}
	return t.blocks[i][:len(t.blocks[i])-t.free]
}
