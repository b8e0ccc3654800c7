// rooms.cuh: the rooms that the first partition fills, and the buckets that the
// second one cuts each of them into.
//
// A room takes the elements of an equal part of all words. Rooms may have
// different capacities, by a sample; how many elements came is known exactly
// when the second partition begins, and so each room is cut into as many slices
// as it needs. Codes that are spread unevenly but smoothly are even enough
// inside a room.
#pragma once
#include "slices.cuh"
#include "split.cuh"

constexpr u32 MAX_ROOMS = 2048;
constexpr u32 CURSOR_PITCH = 8;      // words from one cursor to the next: a sector each, or atomics queue up
constexpr u32 SPILL_SIZE = 1 << 20;  // elements the spill list holds
constexpr int ROOM_THREADS = 1024;   // also the buckets that a room has at most

struct Room {
	u32 begin, end;    // places of its elements
	u32 low, scale;    // its slices: leading 32 bits less low, times scale, divided by 1 << 32
	u32 first, slices; // buckets
	u32 start;         // elements of the order before it
	u32 first_tile;    // of those that the second partition works by
};

// Slice is one bucket as local_sort needs it.
struct alignas(16) Slice {
	u32 start, size; // in the order
	u32 low;         // leading 32 bits of its lowest element, or a little less
	u32 drop;        // low bits of an element's distance from there that local words leave out
};

// lowest returns the lowest leading word of slice s.
DEVICE u64 lowest(u64 s, u32 scale) { return ((s << 32) + scale - 1) / scale; }

// make_rooms makes count rooms, one behind the other: they begin where begins
// says, or at multiples of capacity if that is null. It clears the sizes of
// the buckets, and the status.
DEVICE void make_rooms(Room *rooms, u32 *cursors, u32 count, const u32 *begins, u32 capacity, u32 *sizes, u64 buckets, u32 *status) {
	const u64 step = (u64)gridDim.x * blockDim.x, thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	for (u64 r = thread; r < count; r += step) {
		const u32 begin = begins ? begins[r] : (u32)r * capacity;
		rooms[r].begin = begin;
		rooms[r].end = begins ? begins[r + 1] : begin + capacity;
		cursors[r * CURSOR_PITCH] = begin;
	}
	for (u64 b = thread; b < buckets; b += step) sizes[b] = 0;
	if (thread < STATUS_WORDS) status[thread] = 0;
}

// size_of returns the number of elements of a room.
DEVICE u32 size_of(const Room &room, u32 cursor) { return min(cursor, room.end) - room.begin; }

struct RoomsShared {
	u32 sums[3][32];
};

// cut_rooms cuts full rooms into slices of about target elements, at least
// least and at most most of them, and tells the tiles of the second partition
// their rooms. One block.
DEVICE void cut_rooms(Room *rooms, const u32 *cursors, u32 count, u32 scale, u32 least, u32 target, u32 most, u32 *tile_room, u32 *status) {
	SORTER_SHARED(RoomsShared, shared);
	constexpr int PER = MAX_ROOMS / ROOM_THREADS;
	const u32 r0 = threadIdx.x * PER;
	u32 size[PER], slices[PER], tiles[PER];
	u32 elements = 0, buckets = 0, work = 0;
#pragma unroll
	for (int j = 0; j < PER; j++) {
		size[j] = slices[j] = tiles[j] = 0;
		if (r0 + j >= count) continue;
		size[j] = size_of(rooms[r0 + j], cursors[(r0 + j) * CURSOR_PITCH]);
		slices[j] = min(most, max(least, size[j] / target + 1));
		tiles[j] = (size[j] + TILE - 1) / TILE;
		elements += size[j];
		buckets += slices[j];
		work += tiles[j];
	}
	u32 start = exclusive_scan_block<ROOM_THREADS>(elements, shared.sums[0]) + status[BELOW]; // those come first of all
	u32 first = exclusive_scan_block<ROOM_THREADS>(buckets, shared.sums[1]);
	u32 tile = exclusive_scan_block<ROOM_THREADS>(work, shared.sums[2]);
#pragma unroll
	for (int j = 0; j < PER; j++) {
		const u32 r = r0 + j;
		if (r >= count) break;
		const u64 low = lowest(r, scale), width = lowest(r + 1, scale) - low;
		rooms[r].low = (u32)low;
		rooms[r].scale = (u32)(((u64)slices[j] << 32) / width);
		rooms[r].first = first;
		rooms[r].slices = slices[j];
		rooms[r].start = start;
		rooms[r].first_tile = tile;
		for (u32 t = 0; t < tiles[j]; t++) tile_room[tile + t] = r;
		start += size[j];
		first += slices[j];
		tile += tiles[j];
		if (r + 1 == count) {
			status[BUCKETS] = first;
			status[TILES] = tile;
		}
	}
}

// whole is the only room of a partition that fills buckets at once.
DEVICE Room whole(u32 scale, u32 slices, u32 below) { return {0, 0, 0, scale, 0, slices, below, 0}; }

// bucket_of returns the bucket of an element, given the scale of the rooms, or
// that of the buckets where rooms is null.
DEVICE u32 bucket_of(u64 element, const Room *rooms, u32 scale) {
	const u32 r = slice_of(element, scale);
	if (!rooms) return r;
	return rooms[r].first + __umulhi((u32)(element >> 32) - rooms[r].low, rooms[r].scale);
}

struct StartsShared {
	u32 sums[32];
};

// find_starts writes what local_sort needs of a room's buckets, and lists the
// oversize ones. A block does one room. size counts from step times the number
// of the bucket.
DEVICE void find_starts(const Room &room, const u32 *sizes, u32 pitch, u32 step, Slice *slices, u32 *oversize, u32 *status) {
	SORTER_SHARED(StartsShared, shared);
	const u32 s = threadIdx.x, bucket = room.first + s;
	const u32 size = s < room.slices ? sizes[bucket * pitch] - bucket * step : 0;
	const u32 start = exclusive_scan_block<ROOM_THREADS>(size, shared.sums);
	if (s >= room.slices) return;
	const int width = 96 - __clzll((1ull << 32) / room.scale + 4); // bits of a distance inside a slice
	slices[bucket] = {room.start + start, size, room.low + (u32)lowest(s, room.scale), (u32)max(0, width - (int)LOCAL_KEY_BITS)};
	if (size > LOCAL_SIZE) oversize[atomicAdd(status + OVERSIZE, 1u)] = bucket;
}

// Spill takes elements beyond the capacity of their bucket; without a list they
// are lost.
struct Spill {
	u64 *list;
	u32 *status;

	DEVICE void add(u64 element) const {
		u32 k = list ? atomicAdd(status + SPILLED, 1u) : SPILL_SIZE;
		if (k < SPILL_SIZE) list[k] = element;
		else status[LOST] = 1;
	}
};

// RoomSink puts each digit's elements into its room.
struct RoomSink {
	u64 *elements;
	const Room *rooms;
	u32 *cursors;
	Spill spill;

	DEVICE u32 claim(u32 digit, u32 count, bool &overfull) const {
		const u32 place = atomicAdd(cursors + digit * CURSOR_PITCH, count);
		overfull |= place + count > rooms[digit].end;
		return place;
	}
	DEVICE bool fits(u32 place, u32 digit) const { return place < rooms[digit].end; }
};

// BucketSink puts each digit's elements into its bucket.
struct BucketSink {
	u64 *elements; // of the room's buckets
	u32 *sizes;
	Spill spill;

	DEVICE u32 claim(u32 digit, u32 count, bool &overfull) const {
		const u32 place = atomicAdd(sizes + digit, count);
		overfull |= place + count > LOCAL_SIZE;
		return digit * LOCAL_SIZE + place;
	}
	DEVICE bool fits(u32 place, u32 digit) const { return place - digit * LOCAL_SIZE < LOCAL_SIZE; }
};
