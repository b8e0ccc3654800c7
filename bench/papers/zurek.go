package main

import (
	"fmt"
	"slices"

	"example.com/sorter"
)

// zurek is paper 002.
var zurek = paper{
	name:  "002",
	short: "Żurek et al. 2013",
	title: "Żurek, Pietroń, Wielgosz, Wiatr: The comparison of parallel sorting algorithms implemented on different hardware " +
		"platforms (2013)",
	inputs: "Uniform 32-bit integers, Go slices before and after, transfers included. The paper does not name its sizes. Its sequential quicksort is std::sort " +
		"and slices.Sort here. Algorithms by name move a code with its position, 8 bytes; the tiles of Hybrid are of millions instead of 4096.",
	figures: []figure{
		{"002-fig9-12", zurekSizes},
		{"002-workers", zurekWorkers},
	},
	claims: zurekClaims,
}

const m2090 = "Tesla M2090, Xeon E5645, 8 cores"

// zurekSizes is Fig. 9 to 12: the sequential quicksort beside everything.
func zurekSizes(b *bench) error {
	sizes := b.sizes(1<<16, 1<<18, 1<<20, 1<<22, 1<<24, 1<<25)
	p := b.panel("002-fig9-12", "Fig. 9 to 12: int32, uniform", elementsAxis)
	p.baseline = b.standard(sortSlice)
	p.note = fmt.Sprintf("Where nothing else is said, %d workers.", b.machine.Procs)
	values := uniform.draw(slices.Max(sizes))
	for _, n := range sizes {
		l := newElements(ints, values, n)
		ways := slices.Concat(
			l.stdSort(b),
			[]way{
				l.plain(sortSlice, slices.Sort[[]int32]),
				l.onCPU(quickSerial, sorter.QuickMerge, sorter.Workers(1)),
				l.onCPU(cpuQuickMerge, sorter.QuickMerge),
				l.onCPU(cpuBuckets, sorter.CPUBucket),
				l.onCPU(cpuEngine, sorter.Auto),
			},
			l.onGPU(b, hybridSerial, sorter.Hybrid, sorter.Workers(1)),
			l.onGPU(b, gpuHybrid, sorter.Hybrid),
			l.onGPU(b, gpuBitonic, sorter.Bitonic),
			l.onGPU(b, gpuAuto, sorter.Auto),
		)
		if err := b.add(p, n, l.input(ways...)); err != nil {
			return err
		}
	}
	return nil
}

// zurekWorkers is how the algorithms scale over the cores.
func zurekWorkers(b *bench) error {
	n := b.sizes(1 << 24)[0]
	p := b.panel("002-workers", fmt.Sprintf("Fig. 10 and 11 over workers: %s int32, uniform", elementsAxis.label(n)), workersAxis)
	l := newElements(ints, uniform.draw(n), n)
	workers := doubling(1, b.machine.Procs)
	if last := workers[len(workers)-1]; last < b.machine.Procs {
		workers = append(workers, b.machine.Procs)
	}
	for _, w := range workers {
		ways := append([]way{
			l.onCPU(cpuQuickMerge, sorter.QuickMerge, sorter.Workers(w)),
			l.onCPU(cpuBuckets, sorter.CPUBucket, sorter.Workers(w)),
			l.onCPU(cpuEngine, sorter.Auto, sorter.Workers(w)),
		}, l.onGPU(b, gpuHybrid, sorter.Hybrid, sorter.Workers(w))...)
		if err := b.add(p, w, l.input(ways...)); err != nil {
			return err
		}
	}
	return nil
}

var zurekClaims = []claim{
	{"Fig. 9", m2090, "the hybrid, merging on one core, up to 4 times as fast as quicksort on one core", func(b *bench) []string {
		return upTo(b.named("002-fig9-12"), hybridSerial, 4)
	}},
	{"Fig. 10", m2090, "quick-merge scales over 8 cores", func(b *bench) (says []string) {
		p := b.named("002-workers")
		for _, name := range []string{cpuQuickMerge, cpuBuckets} {
			if places := p.places(); len(places) > 1 {
				one, ok := p.at(places[0], name)
				all, also := p.last(name)
				if ok && also {
					says = append(says, fmt.Sprintf("%s: %.2f times as fast with %d workers as with one.", name, one.median/all.median, all.x))
				}
			}
		}
		p = b.named("002-fig9-12")
		return append(says, lead(p, "", cpuQuickMerge, p.baseline)...)
	}},
	{"Fig. 11, section 8", m2090, "the hybrid is a little slower than quick-merge, which is the most efficient of all", func(b *bench) []string {
		p := b.named("002-fig9-12")
		return slices.Concat(lead(p, "", gpuHybrid, cpuQuickMerge), lead(p, "", cpuEngine, cpuQuickMerge), lead(p, "", gpuAuto, cpuQuickMerge))
	}},
	{"Fig. 12", m2090, "bitonic sort on the GPU up to 4 times as fast as quicksort on one core", func(b *bench) []string {
		return upTo(b.named("002-fig9-12"), gpuBitonic, 4)
	}},
}

// upTo is the lead of a contender of which the paper says up to which it goes.
func upTo(p *panel, name string, most float64) (says []string) {
	says = lead(p, "", name, p.baseline)
	if _, reached, measured := p.ratios(p.baseline, name); measured {
		says = append(says, verdict(reached >= most, ""))
	}
	return says
}
