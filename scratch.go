package sorter

import "example.com/sorter/internal/scratch"

// Trim gives the scratch memory that no call holds back to the system at once.
// Without it large buffers are kept until they have been idle for a minute, and small
// ones until the garbage collector empties their pools. The next large sort touches
// fresh memory again, which can cost more than the sort. Trim runs a garbage
// collection, may be called at any time, and takes nothing from calls that run.
func Trim() { scratch.Trim() }
