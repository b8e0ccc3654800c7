package spill

import (
	"sync"
	"time"
)

// rate is bytes per time, in which the recent past counts most. It may be used concurrently.
type rate struct {
	mu    sync.Mutex
	bytes float64
	nanos float64
}

// rateWindow is the number of bytes after which older ones count half.
const rateWindow = 16 << 20

func (r *rate) add(bytes int, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += float64(bytes)
	r.nanos += float64(max(took, 1))
	if r.bytes > rateWindow {
		r.bytes, r.nanos = r.bytes/2, r.nanos/2
	}
}

// perByte returns nanoseconds, or false as long as less than a number of bytes are known.
func (r *rate) perByte(least float64) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nanos / r.bytes, r.bytes >= least && r.bytes > 0
}

// pace is what a store knows of its methods: the time that compression takes, and the bytes that it saves.
// With the time of writes, which each volume knows, it predicts how long a byte takes.
type pace struct {
	took   [methods]rate    // of bytes that were compressed
	stored [methods]float64 // of plain bytes
	plain  [methods]float64
	tried  int // segments since the last trial
	trials int
}

// note notes that blocks were compressed.
func (k *pace) note(m Method, plain, stored int, took time.Duration) {
	k.took[m].add(plain, took)
	if k.plain[m] > rateWindow {
		k.plain[m], k.stored[m] = k.plain[m]/2, k.stored[m]/2
	}
	k.plain[m] += float64(plain)
	k.stored[m] += float64(stored)
}

const (
	// sortNanos is the time that a byte takes in the sort of its run, on all cores, while the run
	// before is written. Where the disk is not slower, compression only adds to it. 24-byte
	// structs and lines on 2 cores, 2026-11: 0.4 to 0.6.
	sortNanos = 0.5

	// gain is the share of the time that a method has to save against a simpler one: decompression
	// takes time as well.
	gain = 0.85

	leastKnown = 256 << 10 // bytes that were written before their time is known
)

// cost predicts nanoseconds per byte of a method: of the disk, or of the processors if they are
// slower. ok is false as long as it cannot be known.
func (k *pace) cost(disk *rate, m Method) (nanos float64, ok bool) {
	write, ok := disk.perByte(leastKnown)
	if !ok || m == Raw {
		return max(write, sortNanos), ok
	}
	pack, ok := k.took[m].perByte(1)
	if !ok {
		return 0, false
	}
	return max(write*k.stored[m]/k.plain[m], sortNanos+pack), true
}

// best returns the method that costs least.
func (k *pace) best(disk *rate, zstd bool) Method {
	least, ok := k.cost(disk, Raw)
	if !ok {
		return Raw
	}
	best := Raw
	for m := S2; m < methods; m++ {
		if m == Zstd && !zstd {
			continue
		}
		if nanos, ok := k.cost(disk, m); ok && nanos < gain*least {
			best, least = m, nanos
		}
	}
	return best
}

// trial returns the method that a sample of the next segment is compressed with, or Raw for none.
// Trials become rare: the first segments are tried, later one of four, and by zstd, which takes
// four times as long, one of sixteen.
func (k *pace) trial(zstd bool) Method {
	k.tried++
	if k.trials >= 2*int(methods) && k.tried < 4 {
		return Raw
	}
	k.tried = 0
	k.trials++
	if zstd && k.trials%4 == 2 {
		return Zstd
	}
	return S2
}

// bound knows whether a sort waits for the disk. On busy processors the time of a write is that of
// the goroutine as well, which is not run at once: so no method is better than another, unless
// the sort had to wait for a run that was not compressed.
type bound struct {
	on     bool // runs may be compressed
	runs   int  // in a row
	streak int  // after which one is not compressed, to see
}

// firstStreak and lastStreak are the runs after which the first one is not compressed again, and
// the most: each that the sort had to wait for doubles their number.
const firstStreak, lastStreak = 4, 32

// note notes that a run took some time to be written, during a part of which the sort waited.
func (b *bound) note(waited, took time.Duration) {
	switch {
	case b.on && b.runs < b.streak:
		b.runs++
	case b.on:
		b.on = false
	case waited >= took/4:
		b.on, b.runs, b.streak = true, 1, min(max(2*b.streak, firstStreak), lastStreak)
	default:
		b.streak = 0
	}
}
