package segments

import (
	"fmt"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// class is segments that have a block each.
type class struct {
	bits     int // binary logarithm of their elements at most
	u32, u64 int // bytes of shared memory
}

var classes = [kernels.SegmentClasses]class{
	{10, kernels.SegmentShared10U32, kernels.SegmentShared10U64},
	{11, kernels.SegmentShared11U32, kernels.SegmentShared11U64},
	{12, kernels.SegmentShared12U32, kernels.SegmentShared12U64},
	{13, kernels.SegmentShared13U32, kernels.SegmentShared13U64},
	{14, kernels.SegmentShared14U32, kernels.SegmentShared14U64},
}

// kind returns the suffix of the kernels whose blocks sort a segment: 32-bit keys have their own.
func kind(in codes.Input) string {
	if in.Keys && !in.Wide {
		return in.Kind()
	}
	return codes.Width(in.Wide)
}

func (c class) kernel(in codes.Input) string {
	return fmt.Sprintf("sort_segment_%d%s", c.bits, kind(in))
}

func (c class) shared(in codes.Input) int {
	switch {
	case in.Wide:
		return c.u64
	case in.Keys:
		return kernels.SegmentKeyBytes << c.bits
	}
	return c.u32
}

func windowShared(wide bool) int {
	if wide {
		return kernels.WindowSharedU64
	}
	return kernels.WindowSharedU32
}

// Modules has the kernels that every device runs; classModules those of the last two classes,
// which need more shared memory than some have.
var (
	Modules      = []*device.Module{{Image: kernels.SegmentSort, Kernels: commonKernels()}}
	classModules = [kernels.SegmentClasses - always][]*device.Module{
		{{Image: kernels.SegmentSort, Kernels: classKernels(classes[always : always+1])}},
		{{Image: kernels.SegmentSort, Kernels: classKernels(classes[always+1:])}},
	}
)

// always is the number of classes that every device has.
const always = kernels.SegmentClasses - 2

func commonKernels() map[string]int {
	k := classKernels(classes[:always])
	k["split_segments"], k["number_large"] = 0, 0
	for _, wide := range []bool{false, true} {
		width := codes.Width(wide)
		k["sort_windows"+width] = windowShared(wide)
		k["gather_large"+width], k["finish_large"+width] = 0, 0
	}
	return k
}

func classKernels(some []class) map[string]int {
	k := map[string]int{}
	for _, c := range some {
		for _, in := range []codes.Input{{}, {Keys: true}, {Wide: true}} {
			k[c.kernel(in)] = c.shared(in)
		}
	}
	return k
}

// modulesFor returns the modules of a device with the given shared memory per block, and the
// number of elements of a segment that a block sorts there.
func modulesFor(shared int) (modules []*device.Module, most int) {
	modules, most = Modules, 1<<classes[always-1].bits
	for i, class := range classModules {
		if device.Shared(class) > shared {
			break
		}
		modules, most = append(modules[:len(modules):len(modules)], class...), 1<<classes[always+i].bits
	}
	return modules, most
}
