package bucket

import (
	"math/bits"

	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// The plan for codes spread by magnitude: octaves.cuh has their elements.

// octaveSections returns the number of octaves, and of sections, for codes of a width.
func octaveSections(wide bool) int {
	if wide {
		return 64
	}
	return 32
}

// fewCodes is the highest octave whose partitions begin at the first word of a code: there the
// densities of neighbouring codes differ. It has 1 << fewCodes codes.
const fewCodes = 4

// codesOf returns the number of codes in an octave.
func codesOf(octave int) int { return 1 << max(octave, 1) }

// aligned returns the least number of partitions, at least the given one, with which each
// partition has whole codes or a part of one code, if the section is an octave of few codes.
func (p *plan) aligned(section, partitions int) int {
	if !p.octaves || section > fewCodes || partitions == 1 { // 1: a section without codes
		return partitions
	}
	codes := codesOf(section)
	return (partitions + codes - 1) / codes * codes
}

// steepPartitions returns the least limit of partitions for refine. The density of codes spread
// by octaves halves within each octave. With eight partitions per octave it changes by 9 % in
// each.
func (p *plan) steepPartitions() int {
	if p.octaves {
		return 8 * p.sections
	}
	return 0
}

// positionScale is scale_for of octaves.cuh: n / 2^indexBits in 2^16ths, rounded up.
func (l *layout) positionScale() uint64 {
	return (uint64(l.n)<<16 + 1<<l.indexBits - 1) >> l.indexBits
}

// octaveNearAt is nearAt for octaves: codes that have too many bits for an element, besides
// position and octave, may differ in those only that are left out.
func (p *plan) octaveNearAt() int {
	highest := bits.Len64(p.span) - 1 // octave
	if highest <= 64-bits.Len(uint(p.sections-1))-p.indexBits {
		return 0
	}
	return p.indexBits
}

// octavesPlan returns the plan for codes spread by octaves, with sample counts by octaveCounts.
func octavesPlan(wide bool, l layout, count []uint32, sampled, mean int, b *bounds) (*plan, error) {
	p := &plan{wide: wide, layout: l, bounds: b, sections: octaveSections(wide), octaves: true, target: mean}
	return p.divided(noEnds, count, sampled)
}

// octaveCount is a sample counted by octaves.
type octaveCount struct {
	parts  [kernels.Segments]uint32 // by equal parts of octaves
	whole  bool                     // parts of the range have whole codes, and so parts has all counts
	smooth bool                     // codes are spread evenly enough for octavesPlan
}

// countOctaves counts the second sample by octaves.
func countOctaves(wide bool, l *layout, s *sample.Note) *octaveCount {
	const partAt = 64 - 10 // lowest bit of the number of a word's part of the range
	if l.up > partAt-5 {   // a part has fewer than 32 codes
		return &octaveCount{}
	}
	c := &octaveCount{parts: s.Octaves, whole: true} // the lowest parts; others have octaves of as many parts, or more
	parts := kernels.Segments / octaveSections(wide)
	for top := kernels.OctaveParts; top < kernels.Segments; top *= 2 { // the parts of an octave
		here := c.parts[(bits.Len(uint(top))-1+partAt-l.up)*parts:]
		for k := range parts {
			here[k] += sum32(s.Parts[top+k*top/parts : top+(k+1)*top/parts])
		}
	}
	c.smooth = smoothOctaves(wide, c.parts[:])
	return c
}

// smoothOctaves reports whether neighbouring parts of each octave hold similar numbers of
// elements, or begin with another code of few.
func smoothOctaves(wide bool, count []uint32) bool {
	parts := kernels.Segments / octaveSections(wide)
	for i := range count {
		octave, part := i/parts, i%parts
		if part == 0 || octave <= fewCodes && part*codesOf(octave)%parts == 0 {
			continue
		}
		if !similar(count[i-1], count[i]) {
			return false
		}
	}
	return true
}
