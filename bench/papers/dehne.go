package main

import (
	"errors"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	gpusettings "example.com/sorter/internal/gpu/settings"
)

// dehne is paper 004.
var dehne = paper{
	name:  "004",
	short: "Dehne and Zaboli 2012",
	title: "Dehne, Zaboli: Deterministic sample sort for GPUs (2012)",
	inputs: "Keys of 64 bits, as in the paper, M = 2^20. On the device the keys are in its memory and their order is made there, as 32-bit positions: " +
		"no transfers, by the host's clock. On the CPU it is OrderKeys, from a slice to its order. Thrust's merge sort stands here as the library's own; " +
		"randomized sample sort is not repeated. The steps of Fig. 5 are timed on the CPU alone: on the device the engine times a sort as a whole.",
	figures: []figure{
		{"004-fig3", dehneSamples},
		{"004-fig4-8", dehneDevice},
		{"004-cpu", dehneCPU},
	},
	claims: dehneClaims,
}

const (
	gtxC1060 = "GTX 285 and Tesla C1060"
	unnamed  = "one of Tesla C1060, GTX 260, 285 and 480"
)

// dehneDists are the distributions of Fig. 8, in the names of package dist.
var dehneDists = []struct {
	drawn
	values dist.Dist
}{
	{uniform, dist.Named("uniform")},
	{gaussian, dist.Named("gauss")},
	{zipf, dist.Named("zipf")},
}

// dehneSamples is Fig. 3: the time over the samples of a tile.
func dehneSamples(b *bench) error {
	if b.gpu == nil {
		return nil
	}
	p := b.panel("004-fig3", "Fig. 3: samples of a tile, uniform", samplesAxis)
	sizes := b.sizes(32<<20, 64<<20, 128<<20)
	r, err := b.resident(sizes[len(sizes)-1])
	if err != nil {
		return err
	}
	if err = r.fill(dehneDists[0].values); err == nil {
		for _, s := range doubling(16, 512) {
			if err = b.dehneSamplesOf(p, r, s, sizes); err != nil {
				break
			}
		}
	}
	return errors.Join(err, r.close())
}

// dehneSamplesOf measures engines that take s samples of a tile, over the sizes
// that fit.
func (b *bench) dehneSamplesOf(p *panel, r *resident, s int, sizes []int) error {
	timed, err := gpu.Open(gpusettings.Samples(s))
	if err != nil {
		return err
	}
	defer timed.Close()
	verifying, err := gpu.Open(gpusettings.Samples(s), gpu.Verify())
	if err != nil {
		return err
	}
	defer verifying.Close()
	for _, n := range sizes {
		if n > r.most {
			continue
		}
		if err := b.add(p, s, r.input(n, r.ours(elementsAxis.label(n), sorter.SampleSort, n, timed, verifying))); err != nil {
			return err
		}
	}
	return nil
}

// dehneDevice is Fig. 4 and 6 to 8: the device's algorithms over the sizes.
func dehneDevice(b *bench) error {
	if b.gpu == nil {
		return nil
	}
	sizes := b.sizes(doubling(1<<20, 512<<20)...)
	r, err := b.resident(sizes[len(sizes)-1])
	if err != nil {
		return err
	}
	for _, d := range dehneDists {
		if err == nil {
			err = r.fill(d.values)
		}
		if err == nil {
			err = b.dehneDeviceOn(r, d.drawn, sizes)
		}
	}
	b.dehneDistributions("004-fig8", "Fig. 8: "+gpuSamples+", distributions", "004-fig4-7-", gpuSamples)
	return errors.Join(err, r.close())
}

func (b *bench) dehneDeviceOn(r *resident, d drawn, sizes []int) error {
	p := b.panel("004-fig4-7-"+d.slug, "Fig. 4, 6 and 7: 64-bit keys on the device, "+d.name, elementsAxis)
	p.baseline = gpuSamples
	for _, n := range sizes {
		if n > r.most {
			p.note = fmt.Sprintf("Longer lists than %d do not fit the device beside another engine, that checks the orders.", r.most)
			break
		}
		var ways []way
		for _, w := range []struct {
			name string
			a    sorter.Algorithm
		}{{gpuSamples, sorter.SampleSort}, {gpuBitonic, sorter.Bitonic}, {gpuMerge, sorter.MergeSort}, {gpuRadix, sorter.Radix}, {gpuAuto, sorter.Auto}} {
			ways = append(ways, r.ours(w.name, w.a, n, b.gpu.engine, r.verifying))
		}
		if err := b.add(p, n, r.input(n, ways...)); err != nil {
			return err
		}
	}
	return nil
}

// dehneCPU is the same on the CPU, and the steps of Fig. 5.
func dehneCPU(b *bench) error {
	sizes := b.sizes(doubling(1<<20, 16<<20)...)
	for _, d := range dehneDists {
		p := b.panel("004-cpu-"+d.slug, "As Fig. 4, 6 and 7 on the CPU: 64-bit keys, "+d.name, elementsAxis)
		p.baseline = cpuSamples
		values := d.draw(sizes[len(sizes)-1])
		for _, n := range sizes {
			o := &order{keys: values[:n]}
			var ways []way
			for _, w := range []struct {
				name string
				a    sorter.Algorithm
			}{{cpuSamples, sorter.SampleSort}, {cpuBitonic, sorter.Bitonic}, {cpuMerge, sorter.MergeSort}, {cpuRadix, sorter.Radix}, {cpuEngine, sorter.Auto}} {
				ways = append(ways, o.ours(w.name, sorter.On(sorter.CPU()), sorter.Use(w.a)))
			}
			if err := b.add(p, n, o.input(ways...)); err != nil {
				return err
			}
		}
	}
	b.parts(b.named("004-cpu-uniform"), cpuSamples, "004-fig5", "Fig. 5 on the CPU: steps of "+cpuSamples+", uniform")
	b.dehneDistributions("004-fig8-cpu", "As Fig. 8 on the CPU: "+cpuSamples+", distributions", "004-cpu-", cpuSamples)
	return nil
}

// dehneDistributions puts the times of one contender on all distributions, from
// panels whose names begin alike, beside each other.
func (b *bench) dehneDistributions(slug, title, from, contender string) {
	p := b.panel(slug, title, elementsAxis)
	for _, d := range dehneDists {
		for _, r := range b.named(from + d.slug).results {
			if r.contender == contender {
				r.contender, r.parts = d.name, nil
				p.results = append(p.results, r)
			}
		}
	}
}

var dehneClaims = []claim{
	{"Fig. 3", unnamed, "64 samples of a tile are best, of 32 M to 128 M keys", func(b *bench) (says []string) {
		p := b.named("004-fig3")
		holds := true
		for _, name := range p.contenders() {
			best, _ := p.at(64, name)
			theirs := best
			for _, s := range p.places() {
				if r, ok := p.at(s, name); ok && r.median < best.median {
					best = r
				}
			}
			says = append(says, fmt.Sprintf("%s: %d samples are best, %s ms; 64 take %s ms.", name, best.x, number(best.median), number(theirs.median)))
			holds = holds && best.x == theirs.x
		}
		if len(says) > 0 {
			says = append(says, verdict(holds, ""))
		}
		return says
	}},
	{"Fig. 4, 6, 7", gtxC1060, "time grows very close to linearly, up to 512 M keys", func(b *bench) []string {
		return append(growth(b.named("004-fig4-7-uniform"), gpuSamples), growth(b.named("004-cpu-uniform"), cpuSamples)...)
	}},
	{"Fig. 6, 7", gtxC1060, "considerably faster than the best sort by comparison, Thrust's merge sort", func(b *bench) []string {
		p, q := b.named("004-fig4-7-uniform"), b.named("004-cpu-uniform")
		says := lead(p, "", gpuSamples, gpuMerge)
		if least, _, measured := p.ratios(gpuMerge, gpuSamples); measured {
			says = append(says, verdict(least > 1, "beside the library's own merge sort"))
		}
		return append(says, lead(q, "on the CPU", cpuSamples, cpuMerge)...)
	}},
	{"Fig. 8", unnamed, "the distribution has little influence on the time", func(b *bench) []string {
		return append(influence(b.named("004-fig8"), gpuSamples), influence(b.named("004-fig8-cpu"), cpuSamples+" on the CPU")...)
	}},
}

// growth compares the time of a key between the ends of the axis.
func growth(p *panel, name string) []string {
	places := p.places()
	if len(places) < 2 {
		return nil
	}
	few, ok := p.at(places[0], name)
	many, also := p.last(name)
	if !ok || !also {
		return nil
	}
	each := func(r result) float64 { return r.median * 1e6 / float64(r.n) }
	return []string{fmt.Sprintf("%s: %.2f ns a key for %s, %.2f for %s.", name, each(few), elementsAxis.label(few.n), each(many), elementsAxis.label(many.n))}
}

// little is up to which ratio of times an influence is called little here.
const little = 1.1

// influence is how much longer the slowest distribution takes than the fastest, at
// worst and where the axis ends.
func influence(p *panel, name string) []string {
	if len(p.results) == 0 {
		return nil
	}
	worst, last := 1.0, 1.0
	for _, x := range p.places() {
		fast, slow := spread(p, x)
		last = slow / fast
		worst = max(worst, last)
	}
	return []string{fmt.Sprintf("%s: the slowest distribution takes at most %.2f times as long as the fastest, %.2f times for the longest lists.", name, worst, last),
		verdict(worst <= little, "for "+name)}
}

// spread returns the times of the fastest and of the slowest contender at x.
func spread(p *panel, x int) (fast, slow float64) {
	for _, r := range p.results {
		switch {
		case r.x != x || r.note != "":
		case fast == 0:
			fast, slow = r.median, r.median
		default:
			fast, slow = min(fast, r.median), max(slow, r.median)
		}
	}
	return fast, slow
}
