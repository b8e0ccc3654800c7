package presorted

import (
	"math/bits"

	"example.com/sorter/internal/engine"
)

// Marks counts the falls and rises of codes, or of whole keys, by block.
type Marks struct {
	Falls  int  // positions i with code[i] < code[i-1]
	Rises  int  // positions i with code[i] > code[i-1]
	Tied   bool // some elements may equal their predecessors
	each   int  // elements of a chunk, a multiple of engine.Block
	chunks []chunkMarks
	ties   engine.Ties // if Rises is 0, the elements that equal their predecessors; nil: not known
}

// chunkMarks is the marks of a chunk of the input: at most 32 blocks.
type chunkMarks struct {
	falls, rises int
	fell, rose   uint32 // bit b: block b has a code below, or above, its predecessor
	tied         bool
}

// newMarks returns marks for n elements in chunks.
func newMarks(n, chunk int) Marks {
	return Marks{each: chunk, chunks: make([]chunkMarks, (n+chunk-1)/chunk)}
}

// Sorted reports whether elements are in order.
func (m *Marks) Sorted() bool { return m.Falls == 0 }

// sum adds the counts of all chunks.
func (m *Marks) sum() {
	for i := range m.chunks {
		p := &m.chunks[i]
		m.Falls, m.Rises, m.Tied = m.Falls+p.falls, m.Rises+p.rises, m.Tied || p.tied
	}
}

// stepped returns the number of blocks that have a step in the rarer direction.
func (m *Marks) stepped() (n int64) {
	for i := range m.chunks {
		p := &m.chunks[i]
		steps := p.fell
		if m.Rises < m.Falls {
			steps = p.rose
		}
		n += int64(bits.OnesCount32(steps))
	}
	return n
}

// blocks returns the number of blocks.
func (m *Marks) blocks() int64 { return int64(len(m.chunks) * (m.each / engine.Block)) }

// add adds the falls and rises of a block.
func (p *chunkMarks) add(block, falls, rises int) {
	p.falls, p.rises = p.falls+falls, p.rises+rises
	if falls > 0 {
		p.fell |= 1 << block
	}
	if rises > 0 {
		p.rose |= 1 << block
	}
}

// count returns the number of elements below their predecessors, or above them if back is set.
func (p *chunkMarks) count(back bool) int {
	if back {
		return p.rises
	}
	return p.falls
}

// has reports whether block b has an element that count counts.
func (p *chunkMarks) has(b int, back bool) bool {
	if back {
		return p.rose>>b&1 != 0
	}
	return p.fell>>b&1 != 0
}
