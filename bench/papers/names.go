package main

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/sorter/bench/internal/picture"
)

// Names of contenders, in tables and pictures.
const (
	gpuBuckets = "GPU BucketBitonic"
	gpuNearly  = "GPU BucketBitonic, strategy for nearly sorted lists"
	gpuRadix   = "GPU Radix"
	gpuMerge   = "GPU MergeSort"
	gpuBitonic = "GPU Bitonic"
	gpuHybrid  = "GPU and CPU Hybrid"
	gpuSamples = "GPU SampleSort"
	gpuAuto    = "GPU, its choice"
	gpuAll     = "all GPUs"

	hybridSerial  = "Hybrid, merged by 1 worker"
	autoName      = "the planner's choice"
	cpuEngine     = "CPU engine"
	cpuBuckets    = "CPUBucket"
	cpuBitonic    = "Bitonic"
	bitonicSerial = "Bitonic, 1 worker"
	cpuMerge      = "MergeSort"
	cpuRadix      = "Radix"
	cpuSamples    = "SampleSort"
	cpuQuickMerge = "QuickMerge"
	quickSerial   = "QuickMerge, 1 worker"

	sortFunc  = "slices.SortFunc"
	sortSlice = "slices.Sort"

	whole = "all" // of a sort, beside its stages
)

// looks are how contenders are drawn: those of the device with filled signs, those
// of the CPU dashed in the colour of the same algorithm, the engines' own choices
// thick, the standard libraries black and grey. The colours are those of Okabe and
// Ito, which the colour-blind can tell apart.
var looks = map[string]picture.Look{
	gpuBuckets:    look(0xd55e00, 3, nil, draw.CircleGlyph{}),
	gpuNearly:     look(0xe69f00, 1.6, nil, draw.SquareGlyph{}),
	gpuAuto:       look(0xd55e00, 3, nil, draw.CircleGlyph{}),
	gpuAll:        look(0x0072b2, 3, nil, draw.TriangleGlyph{}),
	autoName:      look(0xd55e00, 3, nil, draw.CircleGlyph{}),
	gpuRadix:      look(0x0072b2, 1.6, nil, draw.TriangleGlyph{}),
	gpuMerge:      look(0x009e73, 1.6, nil, draw.PyramidGlyph{}),
	gpuBitonic:    look(0xcc79a7, 1.6, nil, draw.SquareGlyph{}),
	gpuSamples:    look(0xe69f00, 3, nil, draw.CircleGlyph{}),
	gpuHybrid:     look(0x56b4e9, 1.6, nil, draw.PyramidGlyph{}),
	hybridSerial:  look(0x56b4e9, 1.6, picture.Dashed, draw.RingGlyph{}),
	cpuEngine:     look(0xd55e00, 3, picture.Dashed, draw.RingGlyph{}),
	cpuBuckets:    look(0xd55e00, 1.6, picture.Dashed, draw.CrossGlyph{}),
	cpuRadix:      look(0x0072b2, 1.6, picture.Dashed, draw.PlusGlyph{}),
	cpuMerge:      look(0x009e73, 1.6, picture.Dashed, draw.CrossGlyph{}),
	cpuBitonic:    look(0xcc79a7, 1.6, picture.Dashed, draw.BoxGlyph{}),
	bitonicSerial: look(0xcc79a7, 1.6, picture.Dashed, draw.RingGlyph{}),
	cpuSamples:    look(0xe69f00, 1.6, picture.Dashed, draw.RingGlyph{}),
	cpuQuickMerge: look(0x009e73, 1.6, nil, draw.CrossGlyph{}),
	quickSerial:   look(0x009e73, 1.6, picture.Dashed, draw.CrossGlyph{}),
	stdSort:       look(0x000000, 1.6, nil, draw.SquareGlyph{}),
	sortFunc:      look(0x888888, 1.6, nil, draw.BoxGlyph{}),
	sortSlice:     look(0x888888, 1.6, nil, draw.BoxGlyph{}),
	whole:         look(0x000000, 3, nil, draw.CircleGlyph{}),
}

func look(color uint32, width vg.Length, dash []vg.Length, shape draw.GlyphDrawer) picture.Look {
	return picture.Look{Color: picture.RGB(color), Width: width, Dash: dash, Shape: shape}
}

// others are for series without a colour of their own: stages, sample sizes, distributions.
var others = []picture.Look{
	look(0x0072b2, 1.6, nil, draw.TriangleGlyph{}),
	look(0x009e73, 1.6, nil, draw.PyramidGlyph{}),
	look(0xcc79a7, 1.6, nil, draw.SquareGlyph{}),
	look(0xe69f00, 1.6, nil, draw.BoxGlyph{}),
	look(0x56b4e9, 1.6, nil, draw.RingGlyph{}),
	look(0x888888, 1.6, nil, draw.CrossGlyph{}),
	look(0x0072b2, 1.6, picture.Dashed, draw.TriangleGlyph{}),
	look(0x009e73, 1.6, picture.Dashed, draw.PyramidGlyph{}),
}

// lookOf is how the i-th line of a picture is drawn.
func lookOf(name string, i int) picture.Look {
	if l, ok := looks[name]; ok {
		return l
	}
	return others[i%len(others)]
}
