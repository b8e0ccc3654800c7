// cudacpu runs CUDA kernels on the CPU, compiled by g++ from the sources that
// nvcc compiles, to find their mistakes without a GPU. It is no emulator of
// speed: a thread is a fiber, all fibers share one OS thread, and each runs
// until it waits for others.
//
//   fiber.h       stacks and switching, known to the sanitizers
//   block.h       threads, warps, barriers, warp operations of one block
//   grid.h        blocks of a launch, alive side by side, in random order
//   intrinsics.h  CUDA's functions that kernels call
//   kernel.h      kernels registered by name
//
// A kernel may use: one-dimensional grids and blocks of up to 1024
// threads; dynamic shared memory through cudacpu::shared; parameters of 8 bytes
// each. A loop that waits for another block calls cudacpu::spin_wait.
//
// These faults abort, with file and line: a barrier that not all threads reach, or at
// different lines; a warp operation whose lanes do not all arrive; a lane
// outside its own mask; a shuffle from a lane outside the mask; blocks that all
// wait for each other; more shared memory than was launched with; a write
// after an allocation. The sanitizers find more: any access out of bounds of
// device or shared memory (address), races between threads, blocks included
// (thread).
#pragma once

#include "fiber.h"
#include "block.h"
#include "grid.h"
#include "intrinsics.h"
#include "kernel.h"
