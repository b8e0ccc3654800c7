package multi

import (
	"math"
	"runtime"
	"sync"
	"time"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/stream"
)

// rateCopies is how many slots a device copies at a time while rates are measured, and rateReps how
// often: the best counts.
const rateCopies, rateReps = 2, 2

// rateWorkers is how many workers the host's copies are measured with at most, each in 2 MiB.
const rateWorkers = 32

// Measure measures how fast bytes move between the host and the first 1, 2, ... devices at once,
// from device to device, and on the host. With two devices that takes some 5 ms, and no device memory
// is left.
func Measure(sessions []transfer.Session) (r costmodel.Rates, err error) {
	p := &sharing{stopped: func() error { return sessions[0].Err() }}
	slots := make([]device.Block, len(sessions))
	for i := range sessions {
		p.list = append(p.list, &part{Session: &sessions[i], index: i})
	}
	err = p.each(func(q *part) (err error) {
		if err = q.Grow(1); err == nil {
			slots[q.index], err = q.Take(2 * device.SlotBytes)
		}
		return err
	})
	if err != nil {
		return r, err
	}
	all := p.list
	for g := range all {
		p.list = all[:g+1]
		up, failed := p.pace(func(q *part) error {
			return q.CopyToDevice(slots[q.index].At, q.Slots()[0].Memory, device.SlotBytes, q.Stream)
		})
		down, err := p.pace(func(q *part) error {
			return q.CopyToHost(q.Slots()[0].Memory, slots[q.index].At, device.SlotBytes, q.Stream)
		})
		if err := device.FirstError(failed, err); err != nil {
			return r, err
		}
		r.Up, r.Down = append(r.Up, up), append(r.Down, down)
	}
	exchange, err := p.pace(func(q *part) error {
		next := (q.index + 1) % len(all)
		return q.CopyFromPeer(slots[q.index].At+device.SlotBytes, all[next].Context, slots[next].At, device.SlotBytes, q.Stream)
	})
	if err != nil {
		return r, err
	}
	r.Exchange = exchange / float64(len(all))
	r.Workers = runtime.GOMAXPROCS(0)
	r.Host = hostPace(min(r.Workers, rateWorkers))
	return r, p.each(func(q *part) error {
		q.Put(slots[q.index])
		return q.Drop()
	})
}

// pace returns the bytes per ns of copies of a slot by all devices at once.
func (p *sharing) pace(copy func(q *part) error) (float64, error) {
	best := math.Inf(1)
	for range rateReps {
		start := time.Now()
		err := p.each(func(q *part) error {
			queue := q.Queue()
			for range rateCopies {
				queue.Then(func() error { return copy(q) })
			}
			return queue.Sync()
		})
		if err != nil {
			return 0, err
		}
		best = min(best, float64(max(1, time.Since(start))))
	}
	return float64(rateCopies*device.SlotBytes*len(p.list)) / best, nil
}

// hostPace returns the bytes per ns that workers copy past the caches.
func hostPace(workers int) float64 {
	const bytes, rounds = 1 << 20, 3
	from, to := make([][]byte, workers), make([][]byte, workers)
	best := math.Inf(1)
	for range rounds { // the first touches the pages
		var wait sync.WaitGroup
		start := time.Now()
		for i := range workers {
			wait.Go(func() {
				if from[i] == nil {
					from[i], to[i] = make([]byte, bytes), make([]byte, bytes)
				}
				for range 2 {
					stream.CopyLines(to[i], from[i])
				}
			})
		}
		wait.Wait()
		best = min(best, float64(max(1, time.Since(start))))
	}
	return float64(2*bytes*workers) / best
}
