package main

import (
	"fmt"
	"math/bits"
	"strconv"

	"example.com/sorter/bench/internal/table"
)

// The x axes of panels.
var (
	elementsAxis = axis{"elements, n", count}
	samplesAxis  = axis{"samples of a tile, s", strconv.Itoa}
	workersAxis  = axis{"workers", strconv.Itoa}
)

// count writes a number of elements as the papers do.
func count(n int) string {
	switch {
	case n >= 1e6 && n%1e6 == 0:
		return fmt.Sprintf("%d million", n/1e6)
	case n >= 1<<10 && n&(n-1) == 0:
		return fmt.Sprintf("2^%d", bits.Len(uint(n))-1)
	}
	return strconv.Itoa(n)
}

// number keeps three digits of a time in ms, as many as the measurement is worth.
func number(ms float64) string {
	if ms < 1 {
		return fmt.Sprintf("%.3f", ms)
	}
	return table.Short(ms)
}

// spread writes a result's median with the least and the most, and marks one that
// has fewer repetitions.
func (r result) spread(reps int) string {
	mark := ""
	if r.reps < reps {
		mark = "†"
	}
	if r.least != r.least || r.reps == 1 { // a stage has no spread of its own
		return number(r.median) + mark
	}
	return fmt.Sprintf("%s (%s–%s)%s", number(r.median), number(r.least), number(r.most), mark)
}

// lead says how many times as fast a contender is as another over a panel; nothing
// where one of them was not measured.
func lead(p *panel, what, fast, slow string) []string {
	least, most, measured := p.ratios(slow, fast)
	if !measured {
		return nil
	}
	if what != "" {
		what += ": "
	}
	ratio := table.Short(least)
	if last := table.Short(most); last != ratio {
		ratio += " to " + last
	}
	return []string{fmt.Sprintf("%s%s %s times as fast as %s.", what, fast, ratio, slow)}
}

// verdict says whether a claim holds today.
func verdict(holds bool, what string) string {
	says := "**It holds"
	if !holds {
		says = "**It does not hold"
	}
	if what != "" {
		says += " " + what
	}
	return says + ".**"
}
