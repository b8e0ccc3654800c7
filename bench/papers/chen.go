package main

import (
	"fmt"
	"math"
	"slices"

	"example.com/sorter"
)

// chen is paper 000.
var chen = paper{
	name:  "000",
	short: "Chen et al. 2009",
	title: "Chen, Qin, Xie, Zhao, Heng: An efficient sorting algorithm with CUDA (2009)",
	inputs: "Lists are Go slices before and after; every time includes the extraction of codes and the transfers. " +
		"The paper does not say how its nearly sorted lists were made: these are sorted and then shuffled within windows of " + fmt.Sprint(nearlyWindow) +
		", which keeps the degree of disorder (equation 2) below the threshold of " + fmt.Sprint(chenThreshold) + " under which the paper calls a list nearly sorted. " +
		"The paper sorts floats, the library codes with their positions or, where elements are nothing but their codes, the codes alone. " +
		"On the device extract includes the upload, since codes are sent while others are extracted, and download includes the writing of results that have arrived. " +
		"Its GPU quicksort is not repeated: the library has none.",
	figures: chenFigures,
	claims:  chenClaims,
}

var chenFigures = []figure{
	{"000-fig2", chenIntegers},
	{"000-fig3-4", chenSTL},
	{"000-fig5", chenDevices},
}

const (
	gtxs   = "GeForce 9600GT, GTX 280 or GTX 295, Core 2 Quad Q6600"
	gtx280 = "GeForce GTX 280"
	gtx295 = "GeForce GTX 295"
)

// chenThreshold is the degree of disorder below which the paper calls a list nearly
// sorted.
const chenThreshold = 10

// chenSizes are 4 to 24 million elements.
func (b *bench) chenSizes() []int { return b.sizes(4e6, 8e6, 12e6, 16e6, 20e6, 24e6) }

// chenIntegers is Fig. 2: integers of three distributions, sorts of the device
// beside each other.
func chenIntegers(b *bench) error {
	sizes := b.chenSizes()
	for i, d := range []drawn{uniform, nearly, gaussian} {
		p := b.panel("000-fig2-"+d.slug, fmt.Sprintf("Fig. 2 (%c): %s, %s", 'a'+i, ints.name, d.name), elementsAxis)
		values := d.draw(slices.Max(sizes))
		p.note = fmt.Sprintf("Degree of disorder %.3g.", disorder(values))
		for _, n := range sizes {
			l := newElements(ints, values, n)
			ways := slices.Concat(
				chenOurs(b, l),
				l.onGPU(b, gpuRadix, sorter.Radix),
				l.onGPU(b, gpuMerge, sorter.MergeSort),
			)
			if b.gpu != nil && d.slug == nearly.slug {
				ways = append(ways, l.ours(gpuNearly, sorter.On(b.gpu.nearly), sorter.Use(sorter.BucketBitonic)))
			}
			if err := b.add(p, n, l.input(ways...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// chenOurs are the paper's algorithm on the device, the CPU engine, and what
// corresponds to the paper's algorithm on the CPU.
func chenOurs[E element](b *bench, l *elements[E]) []way {
	return append(l.onGPU(b, gpuBuckets, sorter.BucketBitonic),
		l.onCPU(cpuEngine, sorter.Auto),
		l.onCPU(cpuBuckets, sorter.CPUBucket),
	)
}

// chenSTL is Fig. 3 and Fig. 4: floats and vectors beside the sorts of standard
// libraries, and where the time goes.
func chenSTL(b *bench) error {
	sizes := b.chenSizes()
	for _, d := range []drawn{uniform, nearly, gaussian} {
		values := d.draw(slices.Max(sizes))
		if err := chenKind(b, floats, d, values, sizes); err != nil {
			return err
		}
		if err := chenKind(b, vec4s, d, values, sizes); err != nil {
			return err
		}
	}
	for _, of := range []struct{ slug, title string }{
		{"float-nearly", "(a): float, " + nearly.name},
		{"float-uniform", "(b): float, " + uniform.name},
		{"float4-uniform", "for float4, " + uniform.name},
	} {
		sorts := b.named("000-fig3-" + of.slug)
		b.parts(sorts, gpuBuckets, "000-fig4-"+of.slug+"-gpu", "Fig. 4 "+of.title+", parts of "+gpuBuckets)
		b.parts(sorts, cpuEngine, "000-fig4-"+of.slug+"-cpu", "Fig. 4 "+of.title+", parts of the "+cpuEngine)
	}
	return nil
}

// chenDevices is Fig. 5: one device beside all there are.
func chenDevices(b *bench) error {
	if b.gpu == nil || b.gpu.several == 1 {
		return nil
	}
	all, err := b.gpu.openAll()
	if err != nil {
		return err
	}
	defer all.Close()
	sizes := b.sizes(4e6, 8e6, 16e6, 24e6, 48e6, 96e6, 192e6)
	p := b.panel("000-fig5", fmt.Sprintf("Fig. 5: one device and %d, float, uniform", b.gpu.several), elementsAxis)
	p.baseline = gpuAuto
	p.note = "Devices share lists of 2^25 elements and more; shorter ones stay with the first."
	values := uniform.draw(slices.Max(sizes))
	for _, n := range sizes {
		l := newElements(floats, values, n)
		ways := append(l.onGPU(b, gpuAuto, sorter.Auto), l.ours(gpuAll, sorter.On(all)))
		if err := b.add(p, n, l.input(ways...)); err != nil {
			return err
		}
	}
	return nil
}

// chenKind measures one kind of elements. Standard sorts use one core and take most
// of the time: on all sizes there is the one that the paper has, beside uniform
// lists as there, and the others have the longest list alone.
func chenKind[E element](b *bench, k kind[E], d drawn, values []uint64, sizes []int) error {
	p := b.panel("000-fig3-"+k.slug+"-"+d.slug, fmt.Sprintf("Fig. 3: %s, %s", k.name, d.name), elementsAxis)
	if d.slug != uniform.slug {
		p.note = "The paper has uniform lists alone."
	}
	p.baseline = b.standard(sortFunc)
	for _, n := range sizes {
		l := newElements(k, values, n)
		ways := chenOurs(b, l)
		longest := n == slices.Max(sizes)
		if longest || d.slug == uniform.slug {
			ways = append(ways, l.stdSort(b)...)
		}
		if longest || d.slug == uniform.slug && b.std == nil {
			ways = append(ways, l.plain(sortFunc, func(s []E) { slices.SortFunc(s, k.compare) }))
		}
		if err := b.add(p, n, l.input(ways...)); err != nil {
			return err
		}
	}
	return nil
}

var chenClaims = []claim{
	{"Fig. 2", gtxs, "faster than GPU radix sort and GPU quicksort, on integers of all three distributions", func(b *bench) (says []string) {
		holds := true
		for _, d := range []drawn{uniform, nearly, gaussian} {
			p := b.named("000-fig2-" + d.slug)
			says = append(says, lead(p, d.name, gpuBuckets, gpuRadix)...)
			least, _, _ := p.ratios(gpuRadix, gpuBuckets)
			holds = holds && least > 1
		}
		if len(says) > 0 {
			says = append(says, verdict(holds, "beside the library's own radix sort"))
		}
		return slices.Concat(says, b.chenDistributions(gpuBuckets), b.chenDistributions(cpuEngine))
	}},
	{"Fig. 3", gtxs, "10 to 20 times as fast as STL quicksort, transfers included", func(b *bench) (says []string) {
		for _, fast := range []string{gpuBuckets, cpuEngine} {
			holds, measured := true, false
			for _, k := range []string{floats.slug, vec4s.slug} {
				p := b.named("000-fig3-" + k + "-uniform")
				says = append(says, lead(p, k, fast, stdSort)...)
				says = append(says, lead(p, k, fast, sortFunc)...)
				least, _, ok := p.ratios(p.baseline, fast)
				measured = measured || ok
				holds = holds && (least >= 10 || !ok)
			}
			if measured {
				says = append(says, verdict(holds, "for the "+fast))
			}
		}
		return says
	}},
	{"Fig. 4, section III.5", gtx280, "24 million nearly sorted floats in 420 ms with a strategy of their own, in 1050 ms without", func(b *bench) (says []string) {
		for _, name := range []string{gpuBuckets, cpuEngine} {
			near, ok := b.named("000-fig3-float-nearly").last(name)
			far, also := b.named("000-fig3-float-uniform").last(name)
			if ok && also {
				says = append(says, fmt.Sprintf("%s: %s nearly sorted floats in %s ms, as many disordered ones in %s ms.", name, elementsAxis.label(near.n), number(near.median), number(far.median)))
			}
		}
		// Codes of floats are not as even as floats, and that strategy is for even ones.
		ints := b.named("000-fig2-" + nearly.slug)
		with, ok := ints.last(gpuNearly)
		if without, also := ints.last(gpuBuckets); ok && also {
			says = append(says, fmt.Sprintf("%s: %s nearly sorted integers in %s ms, without that in %s ms.", gpuNearly, elementsAxis.label(with.n), number(with.median), number(without.median)))
		}
		return says
	}},
	{"Fig. 5", gtx295, "two devices are not faster than one below 24 million elements", func(b *bench) (says []string) {
		p := b.named("000-fig5")
		for _, x := range p.places() {
			if ratio := p.ratio(x, gpuAuto, gpuAll); !math.IsNaN(ratio) {
				says = append(says, fmt.Sprintf("%s floats: %s %.2f times as fast as one.", count(x), gpuAll, ratio))
			}
		}
		return says
	}},
}

// chenDistributions compares the longest lists of the three distributions.
func (b *bench) chenDistributions(name string) []string {
	least, most, n := math.Inf(1), 0.0, 0
	for _, d := range []drawn{uniform, nearly, gaussian} {
		r, measured := b.named("000-fig2-" + d.slug).last(name)
		if !measured {
			return nil
		}
		least, most, n = min(least, r.median), max(most, r.median), r.n
	}
	return []string{fmt.Sprintf("%s: the slowest distribution takes %.2f times as long as the fastest, for %s integers.", name, most/least, count(n))}
}
