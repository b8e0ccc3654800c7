package bucket

import (
	"math/bits"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules has the kernels of the sort.
var Modules = []*device.Module{
	{Image: kernels.Bucket, Kernels: bucketKernels()},
	{Image: kernels.BucketU32, Kernels: widthKernels(false, kernels.MapSharedU32)},
	{Image: kernels.BucketU64, Kernels: widthKernels(true, kernels.MapSharedU64)},
}

// modules returns the modules that the plan takes besides Modules.
func (p *plan) modules() (more []*device.Module) {
	if p.keys {
		more = append(more, keyModules...)
	}
	if p.octaves {
		more = append(more, octaveModules...)
	}
	if p.numbers {
		more = append(more, numberedModules...)
	}
	if p.strided {
		more = append(more, stridedModules...)
	}
	return more
}

// octaveModules has the kernels that differ for codes spread by octaves.
var octaveModules = []*device.Module{{Image: kernels.Octaves, Kernels: octaveKernels()}}

func octaveKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		width := codes.Width(wide)
		k["local_sort_octaves"+width], k["oversize_sort_octaves"+width] = kernels.LocalShared, kernels.OversizeShared
		for _, d := range digitKernels {
			k["split_octaves"+d.suffix+width] = d.sections
		}
	}
	return k
}

// numberedModules has the kernels that differ for codes with numbers.
var numberedModules = []*device.Module{{Image: kernels.Numbered, Kernels: numberedKernels()}}

func numberedKernels() map[string]int {
	k := map[string]int{"local_sort_numbered": kernels.LocalShared, "oversize_sort_numbered": kernels.OversizeShared}
	for _, d := range digitKernels {
		k["split_codes"+d.suffix+"_numbered"], k["split_sections"+d.suffix+"_numbered"] = d.shared, d.sections
	}
	return k
}

// stridedModules has the first split of nearly sorted codes, if it differs.
var stridedModules = []*device.Module{{Image: kernels.Strided, Kernels: stridedKernels()}}

func stridedKernels() map[string]int {
	k := map[string]int{}
	for _, p := range []*plan{{}, {wide: true}, {keys: true}, {wide: true, keys: true}} {
		for _, d := range digitKernels {
			k["split_strided"+d.suffix+p.kind()] = d.split(p)
		}
	}
	return k
}

// keyModules has the further kernels for keys alone.
var keyModules = []*device.Module{{Image: kernels.Keys, Kernels: keyKernels()}}

func keyKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		p := &plan{wide: wide, keys: true}
		k["local_sort"+p.kind()], k["oversize_sort"+p.kind()] = p.localShared(), kernels.OversizeShared
		for _, d := range digitKernels {
			k["split_codes"+d.suffix+p.kind()], k["split_sections"+d.suffix+p.kind()] = d.split(p), d.section(p)
			if !wide {
				k["split_elements"+d.suffix+p.kind()] = d.split(p)
			}
		}
	}
	return k
}

func bucketKernels() map[string]int {
	k := map[string]int{
		"open_partitions": 0, "plan_partitions": kernels.PartitionsShared, "partition_starts": kernels.StartsShared, "bucket_starts": kernels.StartsShared,
	}
	for _, d := range digitKernels {
		k["split_elements"+d.suffix] = d.shared
	}
	return k
}

func widthKernels(wide bool, mapShared int) map[string]int {
	width := codes.Width(wide)
	k := map[string]int{
		"sample_codes" + width: kernels.SampleShared, "sample_map" + width: mapShared,
		"local_sort" + width: kernels.LocalShared, "oversize_sort" + width: kernels.OversizeShared,
	}
	for _, d := range digitKernels {
		k["split_codes"+d.suffix+width] = d.shared
		k["split_sections"+d.suffix+width] = d.sections
		k["split_mapped"+d.suffix+width] = d.mapped(wide)
	}
	return k
}

// digits has the kernels that split by a number of digit values, and their shared memory.
type digits struct {
	suffix               string
	shared, sections     int
	mappedU32, mappedU64 int
	keys, keySections    int // for elements that are 32-bit codes
}

var digitKernels = []digits{
	{
		suffix: "_8", shared: kernels.SplitShared8, sections: kernels.SectionShared8,
		mappedU32: kernels.MappedShared8U32, mappedU64: kernels.MappedShared8U64,
		keys: kernels.SplitKeys8, keySections: kernels.SectionKeys8,
	},
	{
		suffix: "_9", shared: kernels.SplitShared9, sections: kernels.SectionShared9,
		mappedU32: kernels.MappedShared9U32, mappedU64: kernels.MappedShared9U64,
		keys: kernels.SplitKeys9, keySections: kernels.SectionKeys9,
	},
	{
		suffix: "_10", shared: kernels.SplitShared10, sections: kernels.SectionShared10,
		mappedU32: kernels.MappedShared10U32, mappedU64: kernels.MappedShared10U64,
		keys: kernels.SplitKeys10, keySections: kernels.SectionKeys10,
	},
}

func (d digits) mapped(wide bool) int {
	if wide {
		return d.mappedU64
	}
	return d.mappedU32
}

func (d digits) split(p *plan) int {
	if p.elementSize() < 8 {
		return d.keys
	}
	return d.shared
}

func (d digits) section(p *plan) int {
	if p.elementSize() < 8 {
		return d.keySections
	}
	return d.sections
}

// digit returns the kernels for up to maxDigits values.
func digit(values int) digits { return digitKernels[max(0, bits.Len(uint(values-1))-8)] }
