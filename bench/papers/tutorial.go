package main

import (
	"fmt"
	"slices"

	"example.com/sorter"
)

// tutorial is paper 001.
var tutorial = paper{
	name:  "001",
	short: "Bitonic tutorial",
	title: "Sorting numbers in parallel on GPU: Bitonic Sort (a tutorial)",
	inputs: "Integers drawn evenly from 0 to 10000, Go slices before and after, transfers included. " +
		"The tutorial's network moves integers; the library's moves a code with its position, 8 bytes, and sorts what is no power of two, too.",
	figures: []figure{{"001-table", tutorialTable}},
	claims:  tutorialClaims,
}

const p100 = "Tesla P100, an unnamed CPU"

// tutorialTable has the tutorial's rows, and ours.
func tutorialTable(b *bench) error {
	n := b.sizes(1 << 25)[0]
	p := b.panel("001-table", elementsAxis.label(n)+" integers from 0 to 10000", elementsAxis)
	p.baseline = b.standard(sortSlice)
	p.theirs = map[string]float64{stdSort: 8278, bitonicSerial: 81840, cpuBitonic: 12350, gpuBitonic: 245}
	p.note = fmt.Sprintf("The tutorial has 2^25 integers, 32 threads where this has %d workers, and Python's sort, 20552 ms.", b.machine.Procs)
	l := newElements(decimals, uniform.draw(n), n)
	ways := append(l.stdSort(b),
		l.plain(sortSlice, slices.Sort[[]int32]),
		l.onCPU(bitonicSerial, sorter.Bitonic, sorter.Workers(1)),
		l.onCPU(cpuBitonic, sorter.Bitonic),
		l.ours(autoName),
	)
	return b.add(p, n, l.input(append(ways, l.onGPU(b, gpuBitonic, sorter.Bitonic)...)...))
}

var tutorialClaims = []claim{
	{"table", p100, "the network on the GPU is 34 times as fast as std::sort", func(b *bench) (says []string) {
		p := b.named("001-table")
		says = append(lead(p, "", gpuBitonic, p.baseline), lead(p, "", autoName, p.baseline)...)
		if ratio, _, measured := p.ratios(p.baseline, gpuBitonic); measured {
			says = append(says, verdict(ratio >= 34, ""))
		}
		return says
	}},
	{"table", p100, "the network on the CPU is slower than std::sort, 0.1 times as fast on one thread and 0.67 times on 32", func(b *bench) (says []string) {
		p := b.named("001-table")
		says = append(lead(p, "", bitonicSerial, p.baseline), lead(p, "", cpuBitonic, p.baseline)...)
		if ratio, _, measured := p.ratios(p.baseline, cpuBitonic); measured {
			says = append(says, verdict(ratio < 1, fmt.Sprintf("with %d workers", b.machine.Procs)))
		}
		return says
	}},
}
