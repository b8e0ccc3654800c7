package transfer

import (
	"errors"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/columns"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
)

// leastTied is the number of rows that tie from which the device breaks ties, and tiedShare the share of all rows, as
// its inverse: further codes are made and sent of all rows, in their sequence, while the host reads those that
// tie one by one. Where all rows tie, a further word takes a sixth of the time that 16 processors take for the ties of 10^8 rows,
// a fifth for 10^7, and as long for 10^6 (H200, 2026-12-01: bench/results/h200/hostrows.md).
const leastTied, tiedShare = 1 << 16, 4

// takesFurther reports whether the device may order a job by its further codes, within the limit of a sort if there is one. An
// algorithm that was asked for orders the first codes only.
func (s *Session) takesFurther(job *engine.Job, c chunking) (bool, error) {
	if job.Further == nil || job.N < s.leastTied(job) || !dispatch.ChoosesOwn(job.Algorithm) {
		return false, nil
	}
	if s.Limit == 0 {
		return true, nil // whether there is memory is asked where rows tie: most orders by one word need none
	}
	want := c.onePassBytes() + furtherBytes(s.Sorter, job.N)
	if job.Elements != nil {
		want += s.payloadBytes(job)
	}
	space, err := s.Space(want)
	return err == nil && want <= space, err
}

// furtherBytes bounds the device memory of ties that are broken.
func furtherBytes(s *dispatch.Sorter, n int) int {
	return device.WithWaste(columns.FurtherBytes(n)) + SortBytes(s, engine.Auto, codes.Input{Wide: true, N: n})
}

// leastTied returns the number of rows of a job that tie from which it is worth to order them by further codes.
func (s *Session) leastTied(job *engine.Job) int {
	if s.LeastTied > 0 {
		return s.LeastTied
	}
	return max(leastTied, job.N/tiedShare)
}

// breakTies orders the rows that tie by further codes, as long as it is worth it, and marks those that tie still. Where
// memory turns out to be short, the library breaks the ties.
func (s *Session) breakTies(job *engine.Job, r *result, order cuda.Ptr) error {
	var f *columns.Further
	err := onStage(job, "sort", func() (err error) {
		f, err = columns.NewFurther(s.Workspace, job.N, s.whole, columns.Result{Order: order, Ties: r.ties})
		return err
	})
	if errors.Is(err, cuda.OutOfMemory) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Free()
	if begun, err := s.beginFurther(job, f); !begun {
		return err
	}
	for tied, runs := f.Tied(); tied >= s.leastTied(job); tied, runs = f.Tied() {
		if err := s.downloadTies(job, r.ties); err != nil {
			return err
		}
		bits := job.Further.Next(tied, runs)
		if bits == 0 {
			return nil
		}
		if err := s.orderFurther(job, f, bits > 32); err != nil {
			return err
		}
		still, _ := f.Tied()
		job.Further.Done(still)
		r.Shape = "" // of the first codes
		r.Levels++
	}
	return nil
}

// beginFurther takes the memory of further codes. It is false if too few rows tie, or if there is no memory.
func (s *Session) beginFurther(job *engine.Job, f *columns.Further) (bool, error) {
	if tied, _ := f.Tied(); tied < s.leastTied(job) {
		return false, nil
	}
	if s.Limit == 0 {
		want := furtherBytes(s.Sorter, job.N)
		if space, err := s.Space(want); err != nil || want > space {
			return false, err
		}
	}
	err := onStage(job, "sort", f.Begin)
	if errors.Is(err, cuda.OutOfMemory) {
		return false, nil
	}
	return err == nil, err
}

// orderFurther orders the rows that tie by the codes that the library has begun.
func (s *Session) orderFurther(job *engine.Job, f *columns.Further, wide bool) error {
	var err error
	if wide {
		err = upload(s, job, f.Codes(), job.Further.Codes64, nil)
	} else {
		err = upload(s, job, f.Codes(), job.Further.Codes32, nil)
	}
	if err != nil {
		return err
	}
	return onStage(job, "sort", func() error { return f.By(wide) })
}

// whole is a codes.Whole.
func (s *Session) whole(_ *device.Workspace, in codes.Input, to cuda.Ptr) error {
	_, err := s.Sort(engine.Auto, in, to)
	return err
}
