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

// perByte returns nanoseconds, or false as long as nothing is known.
func (r *rate) perByte() (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nanos / r.bytes, r.bytes > 0
}

// fastest is the time of the fastest of some blocks: that of compression. The others may have
// waited for a processor, which the sort shares.
type fastest struct{ perByte float64 }

func (f *fastest) add(bytes int, took time.Duration) {
	if nanos := float64(max(took, 1)) / float64(bytes); f.perByte == 0 || nanos < f.perByte {
		f.perByte = nanos
	}
}

// of returns the time of a number of bytes.
func (f *fastest) of(bytes int) time.Duration { return time.Duration(f.perByte * float64(bytes)) }

// pace is the knowledge of a store about its methods: the time that compression takes, and the
// bytes that it saves. With the time of writes, which each volume knows, and that of the sort, it
// predicts how long a byte takes.
type pace struct {
	took   [methods]rate    // of bytes that were compressed
	stored [methods]float64 // of plain bytes
	plain  [methods]float64
	tried  int // segments since the last trial
	trials int

	// Of runs that were not compressed: the time in which the sort filled and sorted another, and
	// that with the time in which it waited.
	sort, whole rate

	on     bool // the sort has waited: runs may be compressed
	runs   int  // in a row
	streak int  // after which one is not compressed, to see
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

// gain is the share of the time that a method has to save against a simpler one: decompression
// takes time as well.
const gain = 0.85

// cost predicts nanoseconds per byte of a method: of the disk, or of the processors, which sort
// another run at the same time, if they are slower. ok is false as long as it cannot be known.
func (k *pace) cost(disk *rate, m Method) (nanos float64, ok bool) {
	if m == Raw {
		return k.whole.perByte()
	}
	write, known := disk.perByte()
	sort, ready := k.sort.perByte()
	pack, ok := k.took[m].perByte()
	if !known || !ready || !ok {
		return 0, false
	}
	return max(write*k.stored[m]/k.plain[m], sort+pack), true
}

// best returns the method that costs least.
func (k *pace) best(disk *rate, zstd bool) Method {
	least, ok := k.cost(disk, Raw)
	if !ok || !k.on {
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

// firstStreak and lastStreak are the runs after which the first one is not compressed again, and
// the most: each that the sort had to wait for doubles their number.
const firstStreak, lastStreak = 16, 64

// ran notes that the sort waited for a run of some bytes, during a part of the time since that was
// begun: the most that compression can save. The time of a write alone does not say so: on busy
// processors it is that of a goroutine which is not run at once.
func (k *pace) ran(bytes int64, waited, since time.Duration) {
	switch {
	case k.on && k.runs < k.streak:
		k.runs++
		return
	case k.on:
		k.on = false
		return
	}
	k.sort.add(int(bytes), since-waited)
	k.whole.add(int(bytes), since)
	if waited >= since/4 {
		k.on, k.runs, k.streak = true, 1, min(max(2*k.streak, firstStreak), lastStreak)
	} else {
		k.streak = 0
	}
}
