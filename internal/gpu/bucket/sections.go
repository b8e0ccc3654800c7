package bucket

import (
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/kernels"
)

// sectionsPlan returns the plan for codes spread smoothly over the layout's range. count is
// the number of the sampled elements in each of kernels.Segments equal parts of the range,
// mean the mean size of buckets. Sections are divided into partitions by the sample, in b; the
// device cuts partitions into slices by their elements. All of these lie between the ends.
func sectionsPlan(wide bool, l layout, e ends, count []uint32, sampled, mean int, b *bounds) (*plan, error) {
	return (&plan{wide: wide, layout: l, bounds: b, sections: kernels.Sections, target: mean}).divided(e, count, sampled)
}

// divided returns p with its sections divided, or ErrUneven.
func (p *plan) divided(e ends, count []uint32, sampled int) (*plan, error) {
	l, mean := &p.layout, p.target
	p.least, p.twice = 1, true
	each := float64(l.n) / float64(sampled)
	buckets := l.n / mean
	half, dense := bits.Len(uint(buckets))/2, e.dense(count, p.parts())
	for p.most = max(1<<half, leastDigits); p.most <= kernels.PartitionThreads; p.most += p.most / 2 &^ (leastDigits/2 - 1) {
		if p.divide(dense, each) && (p.partitions*p.partitions <= 2*buckets || p.most*3/2 > kernels.PartitionThreads) {
			p.refine(dense, each)
			p.place(e, count, each)
			p.bounds.end(p.partitions, e)
			p.buckets = buckets + p.partitions
			return p, nil
		}
	}
	return nil, ErrUneven
}

// parts returns the number of counted parts of a section.
func (p *plan) parts() int { return kernels.Segments / p.sections }

// sectionBits returns the binary logarithm of the number of sections.
func (p *plan) sectionBits() int { return bits.Len(uint(p.sections - 1)) }

// divide cuts the sections into partitions of at most p.most slices. Each counted element stands
// for each elements. It returns false if that takes too many partitions.
func (p *plan) divide(count []uint32, each float64) bool {
	largest := float64(p.most) * float64(p.target) // elements of the largest partition; in a larger one, slices would be fuller
	p.partitions = 0
	parts := p.parts()
	for s := range p.sections {
		densest := slices.Max(count[s*parts : (s+1)*parts])
		partitions := p.aligned(s, max(1, int(math.Ceil(float64(parts)*each*float64(densest)/largest))))
		if p.partitions+partitions > maxDigits {
			return false
		}
		p.bounds.section[s] = uint32(p.partitions<<16 | partitions)
		p.partitions += partitions
	}
	return true
}

// refine cuts sections in which density changes into more partitions, if that takes few more
// digits: slices of a partition are equal, so those at its dense end may be oversize. Without it
// 208 buckets of 2^28 normally distributed codes are oversize.
func (p *plan) refine(count []uint32, each float64) {
	const most, fewest = 0.04, 2 // per partition: change of density, mean number of buckets
	limit := min(maxDigits, max(p.partitions+p.partitions/8, min(p.partitions+p.partitions/2, maxDigits/2), leastDigits, p.steepPartitions()))
	var steep, full [kernels.MaxSections]float64 // by section: change of density; partitions that the elements fill
	parts, least := p.parts(), 0.0
	quarter := parts / 4
	for s := range p.sections {
		here := count[s*parts : (s+1)*parts]
		first, last := sum32(here[:quarter]), sum32(here[parts-quarter:])
		steep[s] = 4.0 / 3 * math.Abs(math.Log(float64(first+1)/float64(last+1)))
		full[s] = each * float64(sum32(here)) / float64(fewest*p.target)
		least += min(steep[s], full[s]*most) / float64(limit)
	}
	for change := max(most, least); change < 1; change *= 1.1 { // with less than least there are more partitions
		section, partitions := p.bounds.section, 0
		for s := range p.sections {
			here := p.aligned(s, max(int(section[s]&0xffff), int(min(steep[s]/change, full[s]))))
			section[s] = uint32(partitions<<16 | here)
			partitions += here
		}
		if partitions <= limit {
			p.bounds.section, p.partitions = section, partitions
			return
		}
	}
}

func sum32(list []uint32) (sum uint32) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// place computes where partitions begin, in words and in memory.
func (p *plan) place(e ends, count []uint32, each float64) {
	const steps = 1 << 16 // of a section
	place, k := 0, 0
	parts := p.parts()
	for s, section := range p.bounds.section[:p.sections] {
		here, partitions := count[s*parts:(s+1)*parts], int(section&0xffff)
		from, before := 0, 0.0 // the step at which a partition begins, and the count before it
		part, sum := 0, 0.0    // the part that a partition ends in, and the count before that
		for r := range partitions {
			low := uint32(s<<16|from) << (16 - p.sectionBits())
			p.bounds.partition[k] = struct{ place, low uint32 }{uint32(place), low}
			to := ((r+1)*steps + partitions - 1) / partitions
			for ; part < to*parts/steps; part++ {
				sum += float64(here[part])
			}
			after := sum
			if rest := to * parts % steps; rest > 0 {
				after += float64(here[part]) * e.share(s*parts+part, float64(rest)/steps)
			}
			place += capacity(after-before, each)
			from, before = to, after
			k++
		}
	}
	p.bounds.partition[k] = struct{ place, low uint32 }{uint32(place), 0} // 1 << 32
}

// capacity returns the capacity of a partition for an expected sample count of share, each sample
// standing for each elements.
func capacity(share, each float64) int {
	return int(each*(1.01*share+5*math.Sqrt(share)+8)) + kernels.LocalSize
}
