//go:build linux && (amd64 || arm64)

package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/perm"
)

// The planner end to end, from Go slices to Go slices, beside both engines, for keys that programs
// have: its time is to be near that of the better engine, whatever was sorted before.

var (
	autos     = flag.Bool("auto", false, "time the planner from Go slices instead, beside both engines, over all distributions, and fail where it is slower than the better one by more than -auto-bound")
	autoN     = flag.String("auto-n", "20,24", "comma-separated sizes of -auto, as powers of two")
	autoCalls = flag.String("auto-calls", "order,keys,24 bytes,pointers", "comma-separated calls of -auto")
	autoBound = flag.Float64("auto-bound", 1.1, "largest ratio of the planner's time to that of the better engine in -auto")
	autoReps  = flag.Int("auto-reps", 5, "timed repetitions of -auto, of which the median counts")
)

// autoWarm is the number of sorts of each engine before those that are timed, and of the planner: it
// learns from its own.
const autoWarm = 2

// autoBench prints the table of -auto.
type autoBench struct {
	engine *gpu.Engine
	above  []string // rows above the bound
	wrong  []error
}

func autoRows(e *gpu.Engine) error {
	calibration, err := calibrated()
	if err != nil {
		return err
	}
	if err := heading(fmt.Sprintf("ms, median (least–most) of %d, in turns; a row above %g is measured again, twice at most", *autoReps, *autoBound)); err != nil {
		return err
	}
	fmt.Printf("measured by the planner: %s\n\n", calibration)
	fmt.Println("| call | keys | n | distribution | CPU | device | Auto | chose | Auto / better |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	b := &autoBench{engine: e}
	for _, n := range powers(*autoN) {
		for _, call := range strings.Split(*autoCalls, ",") {
			for _, bits := range ints(*widths) {
				for _, d := range distributions(slices.Concat(dist.Shapes, dist.Users), bits) {
					if err := b.row(call, d, bits, n); err != nil {
						b.wrong = append(b.wrong, fmt.Errorf("%s of %s, %d bits, %d: %w", call, d.Name, bits, n, err))
						fmt.Println("FAILED:", b.wrong[len(b.wrong)-1])
					}
				}
			}
		}
	}
	if len(b.above) > 0 {
		b.wrong = append(b.wrong, fmt.Errorf("%d rows above %g: %s", len(b.above), *autoBound, strings.Join(b.above, "; ")))
	}
	return errors.Join(b.wrong...)
}

func (b *autoBench) row(call string, d dist.Codes, bits, n int) error {
	switch {
	case d.Of == dist.Float && bits == 64:
		return autoRow[float64](b, call, d, n)
	case d.Of == dist.Float:
		return autoRow[float32](b, call, d, n)
	case d.Of == dist.Signed && bits == 64:
		return autoRow[int64](b, call, d, n)
	case d.Of == dist.Signed:
		return autoRow[int32](b, call, d, n)
	case bits == 64:
		return autoRow[uint64](b, call, d, n)
	}
	return autoRow[uint32](b, call, d, n)
}

// keyed is an element of 24 bytes.
type keyed[K any] struct {
	key   K
	at, _ uint64
}

// autoCall returns what restores the input of a call, sorts and checks.
func autoCall[K interface {
	sorter.Key
	cmp.Ordered
}](call string, keys []K) (restore func(), sort func(opts ...sorter.Option) error, check func() bool, err error) {
	n := len(keys)
	switch call {
	case "order":
		p := make(perm.Perm, n)
		return func() {}, func(opts ...sorter.Option) error {
				_, err := sorter.OrderKeys(keys, append(opts, sorter.Into(p))...)
				return err
			}, func() bool {
				return slices.IsSortedFunc(p, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) })
			}, nil
	case "keys":
		s := make([]K, n)
		restore = func() { each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], keys[lo:hi]) }) }
		return restore, func(opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) },
			func() bool { return slices.IsSortedFunc(s, cmp.Compare[K]) }, nil
	case "24 bytes":
		s := make([]keyed[K], n)
		restore = func() {
			each(n, func(_ *rand.Rand, lo, hi int) {
				for i := lo; i < hi; i++ {
					s[i] = keyed[K]{key: keys[i], at: uint64(i)}
				}
			})
		}
		return restore, func(opts ...sorter.Option) error {
				return sorter.Sort(s, func(e keyed[K]) K { return e.key }, opts...)
			},
			func() bool {
				return slices.IsSortedFunc(s, func(a, b keyed[K]) int { return cmp.Compare(a.key, b.key) })
			}, nil
	case "pointers":
		all, s := make([]keyed[K], n), make([]*keyed[K], n)
		restore = func() {
			each(n, func(_ *rand.Rand, lo, hi int) {
				for i := lo; i < hi; i++ {
					all[i].key, s[i] = keys[i], &all[i]
				}
			})
		}
		return restore, func(opts ...sorter.Option) error {
				return sorter.Sort(s, func(e *keyed[K]) K { return e.key }, opts...)
			},
			func() bool {
				return slices.IsSortedFunc(s, func(a, b *keyed[K]) int { return cmp.Compare(a.key, b.key) })
			}, nil
	}
	return nil, nil, nil, fmt.Errorf("no call %q", call)
}

// autoRow measures one row.
func autoRow[K interface {
	sorter.Key
	cmp.Ordered
}](b *autoBench, call string, d dist.Codes, n int) error {
	keys := dist.Keys[K](d, n, 1)
	restore, sort, check, err := autoCall(call, keys)
	if err != nil {
		return err
	}
	var times [3][]float64
	var st sorter.Stats
	ways := [3][]sorter.Option{{sorter.On(sorter.CPU())}, {sorter.On(b.engine)}, {sorter.Report(&st)}}
	ratio := 0.0
	for again := 0; again < 3 && (again == 0 || ratio > *autoBound); again++ {
		times = [3][]float64{}
		for rep := range autoWarm + *autoReps {
			for i, opts := range ways {
				restore()
				took := timed(func() { err = sort(opts...) })
				if err == nil && rep == 0 && !check() {
					err = errors.New("not sorted")
				}
				if err != nil {
					return err
				}
				if rep >= autoWarm {
					times[i] = append(times[i], took)
				}
			}
		}
		ratio = median(times[2]) / min(median(times[0]), median(times[1]))
	}
	if ratio > *autoBound {
		b.above = append(b.above, fmt.Sprintf("%s of %T, %d, %s: %.2f", call, keys[0], n, d.Name, ratio))
	}
	fmt.Printf("| %s | %T | %d | %s | %s | %s | %s | %s | %.2f |\n", call, keys[0], n, d.Name, spread(times[0]), spread(times[1]), spread(times[2]), st.Engine, ratio)
	return nil
}

// calibrated has the planner open the first device and measure, and returns the
// calibration.
func calibrated() (string, error) {
	const n = 1 << 20
	column, records := make([]float32, n), make([]record24, n)
	var st sorter.Stats
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := orderKeys(column, sorter.Report(&st)); err != nil {
			return "", err
		}
		if st.Calibration == "" {
			continue
		}
		if err := sorter.Sort(records, func(r record24) float32 { return r.key }, sorter.Report(&st)); err != nil {
			return "", err
		}
		if strings.Contains(st.Calibration, "gather") {
			return st.Calibration, nil
		}
	}
	return "", errors.New("nothing was measured within 10 s")
}
