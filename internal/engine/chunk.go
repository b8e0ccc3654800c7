package engine

// leastChunk and Chunk bound the number of elements that a worker claims at a time. Surveys have one bit for each
// block of a chunk, of at most 32.
const leastChunk, Chunk = 4 * Block, 32 * Block

// LeastTurn is the least number of elements that justify another worker, in any stage.
const LeastTurn = Block

// ChunkOf returns how many of n elements a worker claims at a time: whole blocks.
func (e *Env) ChunkOf(n int) int { return e.Loop.Turn(n, leastChunk, Chunk) / Block * Block }
