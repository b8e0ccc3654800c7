//go:build linux && (amd64 || arm64)

package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/perm"
)

// Rows of the host by several columns or by texts, from Go slices to an order: with ties that the device breaks by further words,
// with ties that the host breaks, by the CPU engine, and as the planner chooses, in turns.

var (
	hostRows  = flag.Bool("host-rows", false, "time orders of rows of the host by several columns and by texts instead, where the device or the host breaks ties, beside the CPU engine, and compare the results")
	hostRowsN = flag.String("host-rows-n", "1000000,10000000,100000000", "comma-separated numbers of rows of -host-rows")
	hostReps  = flag.Int("host-rows-reps", 5, "timed repetitions of -host-rows")
)

// hostTables makes the tables of n rows, one at a time.
var hostTables = []struct {
	name string
	cols func(n int) []sorter.Column[int]
}{
	{"int64, float64 with a tenth null", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{sorter.AscOf(drawn(n, (*rand.Rand).Int64)), floatsWithNulls(n)}
	}},
	{"int64 of 100000 values, float64 with a tenth null", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{fewApart(n, 100_000, 40), floatsWithNulls(n)}
	}},
	{"int32 of 1000 values, int64", func(n int) []sorter.Column[int] {
		few := drawn(n, func(r *rand.Rand) int32 { return r.Int32N(1000) })
		return []sorter.Column[int]{sorter.AscOf(few), sorter.AscOf(drawn(n, (*rand.Rand).Int64))}
	}},
	{"three int64 of 10, 100 and 1000 values", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{fewApart(n, 10, 40), fewApart(n, 100, 40), fewApart(n, 1000, 40)}
	}},
	{"texts of 8 to 32 bytes", func(n int) []sorter.Column[int] { return textsAfter(n, "") }},
	{"texts of 8 to 32 bytes after one beginning", func(n int) []sorter.Column[int] { return textsAfter(n, "https://www.example.org/") }},
	{"texts of 8 to 32 bytes after one of 8", func(n int) []sorter.Column[int] {
		return textsAfter(n, "alpha-", "beta-", "gamma-", "delta-", "epsilon-", "zeta-", "eta-", "theta-")
	}},
}

// fewApart draws numbers of few values, which many bits hold.
func fewApart(n int, values int64, bits int) sorter.Column[int] {
	return sorter.AscOf(drawn(n, func(r *rand.Rand) int64 { return r.Int64N(values) << bits }))
}

func floatsWithNulls(n int) sorter.Column[int] {
	valid := drawn(n/8+1, func(r *rand.Rand) (v byte) {
		for i := range 8 {
			if r.IntN(10) > 0 {
				v |= 1 << i
			}
		}
		return v
	})
	return sorter.DescOf(drawn(n, (*rand.Rand).NormFloat64)).NullsLastBits(valid, 0)
}

func textsAfter(n int, beginnings ...string) []sorter.Column[int] {
	return []sorter.Column[int]{sorter.AscOf(drawn(n, func(r *rand.Rand) string {
		text := append(make([]byte, 0, 64), beginnings[r.IntN(len(beginnings))]...)
		for range 8 + r.IntN(25) {
			text = append(text, "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)])
		}
		return string(text)
	}))}
}

// hostRowsTable prints a table, and after it where the time of the last order of each engine went.
func hostRowsTable() error {
	calibration, err := calibrated()
	if err != nil {
		return err
	}
	return on(func(now *gpu.Engine) error {
		return on(func(before *gpu.Engine) error {
			if err := heading(fmt.Sprintf("from slices to an order; ms, median (least–most) of %d, in turns", *hostReps)); err != nil {
				return err
			}
			fmt.Printf("measured by the planner: %s\n\n", calibration)
			fmt.Println("| columns | rows | first word, ties by the host | ties by the device | CPU engine | Auto | chose | before / now | CPU / now | Auto / better |")
			fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
			var notes []string
			for _, n := range ints(*hostRowsN) {
				for _, table := range hostTables {
					if !strings.Contains(table.name, *e2eOnly) {
						continue
					}
					some, err := hostRow(table.name, sorter.RowsBy(n, table.cols(n)...), n, sorter.On(before), sorter.On(now), sorter.On(sorter.CPU()), nil)
					if err != nil {
						return fmt.Errorf("%s, %d rows: %w", table.name, n, err)
					}
					notes = append(notes, some...)
					runtime.GC()
				}
			}
			fmt.Println("\n" + strings.Join(notes, "\n"))
			return nil
		}, settings.LeastTied(math.MaxInt))
	})
}

// hostRow times an order by several engines in turns, and compares the results. Without an engine the planner chooses.
func hostRow(name string, rows sorter.Rows, n int, engines ...sorter.Option) (notes []string, err error) {
	orders, times, stats := make([]perm.Perm, len(engines)), make([][]float64, len(engines)), make([]sorter.Stats, len(engines))
	for rep := range e2eWarm + *hostReps {
		for i, e := range engines {
			if rep == 0 {
				orders[i] = make(perm.Perm, n)
			}
			opts := []sorter.Option{sorter.Into(orders[i]), sorter.Report(&stats[i])}
			if e != nil {
				opts = append(opts, e)
			}
			took := timed(func() { _, err = rows.Order(opts...) })
			if err != nil {
				return nil, err
			}
			if rep >= e2eWarm {
				times[i] = append(times[i], took)
			}
		}
	}
	for i, by := range []string{"ties by the host", "ties by the device", "CPU", "Auto"} {
		if !slices.Equal(orders[i], orders[2]) {
			return nil, fmt.Errorf("%s: another order than that of the CPU engine", by)
		}
		note := fmt.Sprintf("- %s, %d, %s: %d bits first, %d ties;", name, n, by, stats[i].CodeBits, stats[i].Ties)
		for _, stage := range stats[i].Stages {
			note += fmt.Sprintf(" %s %.1f,", stage.Name, ms(stage.Time))
		}
		notes = append(notes, note+fmt.Sprintf(" all %.1f", ms(stats[i].Total)))
	}
	before, now, cpu, auto := median(times[0]), median(times[1]), median(times[2]), median(times[3])
	fmt.Printf("| %s | %d | %s | %s | %s | %s | %s | %.2f | %.2f | %.2f |\n", name, n, spread(times[0]), spread(times[1]), spread(times[2]), spread(times[3]),
		stats[3].Engine, before/now, cpu/now, auto/min(now, cpu))
	return notes, nil
}
