// rooms.cuh: the rooms that the first partition fills, and the buckets that the
// second one cuts each of them into.
//
// A room takes the elements of an interval of words. How many came is known
// exactly when the second partition begins, and so each room can be cut into as
// many slices as it needs.
//
// Codes that are spread unevenly but smoothly are even enough inside a room. For
// those, the words are divided into 64 sections, and each section into as many
// equal rooms as a sample suggests. A warp looks sections up in a table of 64
// words, of which the 32 next to each other that most codes have cause no bank conflict.
// Sections by octave (octaves.cuh) are as many as a code has bits.
#pragma once
#include "slices.cuh"
#include "split.cuh"

constexpr u32 MAX_ROOMS = 1024;
constexpr u32 CURSOR_PITCH = 8;      // words from one cursor to the next: a sector each, or atomics queue up
constexpr u32 SPILL_SIZE = 1 << 20;  // elements the spill list holds
constexpr int ROOM_THREADS = 1024;   // also the buckets that a room has at most

constexpr int SECTIONS = 1 << SECTION_BITS, MOST_SECTIONS = 64;

// section_of returns the section of a leading word, of 1 << BITS, room_of the room in it,
// given the section's first room above the number of its rooms.
template <int BITS> DEVICE u32 section_of(u32 word) { return word >> (32 - BITS); }
template <int BITS> DEVICE u32 room_of(u32 word, u32 section) { return (section >> 16) + ((word >> (16 - BITS) & 0xffff) * (section & 0xffff) >> 16); }

// Bounds is where rooms begin: in memory, and on the scale of leading words. The
// last one ends the others. It lies in memory of the host.
struct Bounds {
	u32 section[MOST_SECTIONS];
	struct {
		u32 place, low;
	} room[MAX_ROOMS + 1];
};

// Sections is what a partition by sections looks up.
struct Sections {
	u32 section[MOST_SECTIONS];
	u32 end[MAX_ROOMS]; // places behind the rooms
};

struct Room {
	u32 begin, end;    // places of its elements
	u32 low, scale;    // its slices: leading 32 bits less low, times scale, divided by 1 << 32
	u32 first, slices; // buckets
	u32 start;         // elements of the order before it
	u32 size;          // elements
};

// Slice is one bucket as local_sort needs it.
struct alignas(16) Slice {
	u32 start, size; // in the order
	u32 low;         // leading 32 bits of its lowest element, or a little less
	u32 drop;        // low bits of an element's distance from there that local words leave out
};

// lowest returns the lowest leading word of slice s.
DEVICE u64 lowest(u64 s, u32 scale) { return ((s << 32) + scale - 1) / scale; }

// make_rooms makes count rooms: those of bounds, which it also copies to sections,
// or if that is null, equal ones of the given scale and capacity. One more ends the
// last. It clears the sizes of the buckets, and the status.
DEVICE void make_rooms(Room *rooms, u32 *cursors, u32 count, const Bounds *bounds, Sections *sections, u32 scale, u32 capacity, u32 *sizes, u64 buckets, u32 *status) {
	const u64 step = (u64)gridDim.x * blockDim.x, thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (bounds && thread < MOST_SECTIONS) sections->section[thread] = bounds->section[thread];
	for (u64 r = thread; r <= count; r += step) {
		const u32 begin = bounds ? bounds->room[r].place : (u32)r * capacity;
		rooms[r].begin = begin;
		rooms[r].low = bounds ? bounds->room[r].low : (u32)lowest(r, scale);
		if (r < count) cursors[r * CURSOR_PITCH] = begin;
		if (r > 0) rooms[r - 1].end = begin;
		if (r > 0 && bounds) sections->end[r - 1] = begin;
	}
	for (u64 b = thread; b < buckets; b += step) sizes[b] = 0;
	if (thread < STATUS_WORDS) status[thread] = 0;
}

struct RoomsShared {
	u32 sums[3][32];
	u32 tiles[MAX_ROOMS], first_tile[MAX_ROOMS];
};

// cut_rooms cuts full rooms into slices of about target elements, at least
// least and at most most of them, and lists the tiles of the second partition:
// a tile's place above its room. One block.
DEVICE void cut_rooms(Room *rooms, const u32 *cursors, u32 count, u32 least, u32 target, u32 most, u32 tile_size, u64 *tiles, u32 *status) {
	SORTER_SHARED(RoomsShared, shared);
	static_assert(MAX_ROOMS == ROOM_THREADS, "a thread a room");
	const u32 r = threadIdx.x;
	Room room = {};
	u32 slices = 0, work = 0;
	if (r < count) {
		room = rooms[r];
		room.size = min(cursors[r * CURSOR_PITCH], room.end) - room.begin;
		slices = min(most, max(least, room.size / target + 1));
		work = (room.size + tile_size - 1) / tile_size;
	}
	const u32 start = exclusive_scan_block<ROOM_THREADS>(room.size, shared.sums[0]);
	const u32 first = exclusive_scan_block<ROOM_THREADS>(slices, shared.sums[1]);
	const u32 tile = exclusive_scan_block<ROOM_THREADS>(work, shared.sums[2]);
	shared.tiles[r] = work;
	shared.first_tile[r] = tile;
	if (r < count) {
		const u32 width = rooms[r + 1].low - room.low; // 0 is 1 << 32
		rooms[r].scale = (u32)(((u64)slices << 32) / (width ? width : 1ull << 32));
		rooms[r].first = first;
		rooms[r].slices = slices;
		rooms[r].start = status[BELOW] + start; // those come first of all
		rooms[r].size = room.size;
		if (r + 1 == count) {
			status[BUCKETS] = first + slices;
			status[TILES] = tile + work;
		}
	}
	__syncthreads(); // tiles and first_tile are written
	for (u32 k = warp_id(); k < count; k += ROOM_THREADS / 32)
		for (u32 t = lane_id(); t < shared.tiles[k]; t += 32) tiles[shared.first_tile[k] + t] = (u64)t << 32 | k;
}

// whole is the only room of a partition that fills buckets at once.
DEVICE Room whole(u32 scale, u32 slices, u32 below) { return {0, 0, 0, scale, 0, slices, below, 0}; }

// Home is the words that one bucket takes: those of a slice of its room.
struct Home {
	u32 low, span, scale; // of the room: words low … low+span
	u32 slice;

	template <class Element> DEVICE bool has(Element element) const {
		const u32 word = leading(element) - low;
		return word <= span && __umulhi(word, scale) == slice;
	}
};

// home_of returns the home of a bucket, given the rooms, or the scale of the
// buckets if there are none.
DEVICE Home home_of(u32 bucket, const Room *rooms, u32 count, u32 scale) {
	if (count == 0) return {0, 0xffffffffu, scale, bucket};
	u32 r = 0, last = count - 1;
	while (r < last) {
		const u32 middle = (r + last + 1) / 2;
		if (bucket < rooms[middle].first) last = middle - 1;
		else r = middle;
	}
	const u32 end = r + 1 < count ? rooms[r + 1].low : 0; // 0 is 1 << 32
	return {rooms[r].low, end - 1 - rooms[r].low, rooms[r].scale, bucket - rooms[r].first};
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
template <class Element> struct Spill {
	Element *list;
	u32 *status;

	DEVICE void add(Element element) const {
		u32 k = list ? atomicAdd(status + SPILLED, 1u) : SPILL_SIZE;
		if (k < SPILL_SIZE) list[k] = element;
		else atomicExch(status + LOST, 1u);
	}
};

// EqualRooms and BoundRooms say where rooms end. The ends of bound rooms are loaded,
// for each digit and tile: long before they are needed, or that takes an eighth of
// a partition's time.
struct EqualRooms {
	u32 capacity;
	struct End {};
	DEVICE End end(u32) const { return {}; }
	DEVICE bool fits(u32 place, u32 room, End) const { return place < (room + 1) * capacity; }
};
struct BoundRooms {
	const Sections *sections;
	typedef u32 End;
	DEVICE End end(u32 room) const { return sections->end[room]; }
	DEVICE bool fits(u32 place, u32, End end) const { return place < end; }
};

// RoomSink puts each digit's elements into its room.
template <class Element, class Rooms> struct RoomSink {
	Element *elements;
	Rooms rooms;
	u32 *cursors;
	Spill<Element> spill;

	DEVICE u32 claim(u32 digit, u32 count) const { return atomicAdd(cursors + digit * CURSOR_PITCH, count); }
	typedef typename Rooms::End Limit;
	DEVICE Limit limit(u32 digit) const { return rooms.end(digit); }
	DEVICE bool fits(u32 place, u32 digit, Limit limit) const { return rooms.fits(place, digit, limit); }
};

// BucketSink puts each digit's elements into its bucket.
template <class Element> struct BucketSink {
	Element *elements; // of the room's buckets
	u32 *sizes;
	Spill<Element> spill;

	DEVICE u32 claim(u32 digit, u32 count) const { return digit * LOCAL_SIZE + atomicAdd(sizes + digit, count); }
	struct Limit {};
	DEVICE Limit limit(u32) const { return {}; }
	DEVICE bool fits(u32 place, u32 digit, Limit) const { return place - digit * LOCAL_SIZE < LOCAL_SIZE; }
};
