//go:build cudacpu && linux && amd64

#include "cudacpu.h"

#include "bitonic.cu"
#include "faults.cu"
#include "intrinsics.cu"
#include "scan.cu"
#include "vector.cu"

CUDACPU_KERNEL(add_f32);
CUDACPU_KERNEL(add_u64);
CUDACPU_KERNEL(sum_u32);
CUDACPU_KERNEL(scan_u32);
CUDACPU_KERNEL(scan_by_index_u32);
CUDACPU_KERNEL(bitonic_u32);
CUDACPU_KERNEL(integers);
CUDACPU_KERNEL(warps);
CUDACPU_KERNEL(barriers);
CUDACPU_KERNEL(atomics);

CUDACPU_KERNEL(race_in_block);
CUDACPU_KERNEL(race_in_warp);
CUDACPU_KERNEL(race_of_blocks);
CUDACPU_KERNEL(unfenced_flag);
CUDACPU_KERNEL(write_out_of_bounds);
CUDACPU_KERNEL(read_out_of_bounds);
CUDACPU_KERNEL(shared_out_of_bounds);
CUDACPU_KERNEL(shared_too_large);
CUDACPU_KERNEL(barrier_skipped);
CUDACPU_KERNEL(barriers_mixed);
CUDACPU_KERNEL(lane_outside_mask);
CUDACPU_KERNEL(lane_missing);
CUDACPU_KERNEL(shuffle_outside_mask);
CUDACPU_KERNEL(spin_forever);
CUDACPU_KERNEL(uninitialized_shared);
