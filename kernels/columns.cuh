// columns.cuh: rows in the order of several columns, which are in device memory as Apache Arrow has them.
//
//   column_range   checks a column, and finds the range of its codes or the lengths of its texts
//   text_prefix    finds how many bytes all texts of a column have in common
//   pack_codes     makes a code of up to 64 bits of each row, from one field after the other
//   place_rows     writes rows that were sorted within runs of ties to their places in the order
//   tie_counts, tie_scan, tie_lists
//                  make a list of the rows that tie, and of the runs that they lie in
//   text_common    finds how many bytes the texts of each run have in common
//   refine_ties    takes the marks of rows that no longer tie
//   rank_entries   ranks the entries of a dictionary
//
// The key of a row is a sequence of bits, from field to field: a bit for null, the code of a value above the lowest of its
// column, the first bytes of a text. A word of the key is sorted as a code, then only rows that tie get the next word, as
// segments. So it goes on with further bytes of a text, from the first byte on in which the texts of a run differ.
#pragma once
#include "platform.cuh"

constexpr int COLUMN_THREADS = 256;
constexpr int COLUMN_ITEMS = 4;        // rows that a thread of pack_codes and column_range has in flight
constexpr u32 MOST_FIELDS = 65;        // of a word: each has a bit or more, and the first may have ended before it
constexpr u64 COMMON_MOST = 1024;      // bytes of two texts that are compared at a time
constexpr u32 NO_RANK = 0xffffffffu;   // rank of a null of a dictionary
constexpr int TIE_TILE = 32 * COLUMN_THREADS; // rows of a block of tie_counts and tie_lists

// How a value lies in memory.
enum FieldType : u32 { FIELD_BIT, FIELD_8, FIELD_16, FIELD_32, FIELD_64, FIELD_PAIR, FIELD_TEXT32, FIELD_TEXT64 };

// Which bits a field has: those of the value, or one that says whether it is null.
enum FieldPart : u32 { PART_VALUE, PART_NULLS_FIRST, PART_NULLS_LAST };

// Field is a part of the key.
struct Field {
	const unsigned char *values;   // of FIELD_PAIR each second word of 64 bits is read; of texts the bytes
	const unsigned char *validity; // a bit per row, null: no row is null
	const void *offsets;           // of texts
	const u32 *ranks;              // of a dictionary, which values are positions in; null: none
	u64 first;                     // number of the first row's bit in validity, and in values of FIELD_BIT
	u64 bytes;                     // of all texts, or entries of the dictionary
	u64 sign, zero, most, nan, turn; // the mapping of floats, see FloatCode; sign is 0 for others
	u64 flip, mask;                // bits of a code that are complemented, and all of them
	u64 least;                     // code that becomes 0
	u32 type, part;
	int left;                      // shift to its place in the word, to the right if negative
	u32 content, length;           // of a text: bytes in its field, and bits for their number
	u32 bits;                      // of the field, for the host
};

// FieldRange is what column_range finds. It is clear before.
struct FieldRange {
	u64 low;   // complement of the lowest code, or of the length of the shortest text
	u64 most;  // highest code, or length of the longest text
	u64 first; // rows from the first one on that is not null
	u64 wrong; // rows from the first one on that is wrong: its offsets, or its position in a dictionary
	u64 nulls; // rows that are null
};

DEVICE u64 swap_bytes(u64 v) {
	v = (v & 0x00ff00ff00ff00ffull) << 8 | (v >> 8 & 0x00ff00ff00ff00ffull);
	v = (v & 0x0000ffff0000ffffull) << 16 | (v >> 16 & 0x0000ffff0000ffffull);
	return v << 32 | v >> 32;
}

DEVICE bool bit_at(const unsigned char *bits, u64 i) { return bits[i >> 3] >> (i & 7) & 1; }

// load_bits loads the values of some rows, all at a time.
template <int ROWS> DEVICE void load_bits(const Field &f, const u64 (&row)[ROWS], u64 (&bits)[ROWS]) {
#define LOAD(value) \
	_Pragma("unroll") for (int k = 0; k < ROWS; k++) bits[k] = value; \
	break
	switch (f.type) {
	case FIELD_BIT: LOAD(bit_at(f.values, f.first + row[k]));
	case FIELD_8: LOAD(f.values[row[k]]);
	case FIELD_16: LOAD(((const u16 *)f.values)[row[k]]);
	case FIELD_32: LOAD(((const u32 *)f.values)[row[k]]);
	case FIELD_64: LOAD(((const u64 *)f.values)[row[k]]);
	default: LOAD(((const u64 *)f.values)[2 * row[k]]);
	}
#undef LOAD
}

// load_nulls finds out which of some rows are null, as far as validity says so.
template <int ROWS> DEVICE void load_nulls(const Field &f, const u64 (&row)[ROWS], bool (&null)[ROWS]) {
#pragma unroll
	for (int k = 0; k < ROWS; k++) null[k] = false;
	if (!f.validity) return;
#pragma unroll
	for (int k = 0; k < ROWS; k++) null[k] = !bit_at(f.validity, f.first + row[k]);
}

// code_of returns the code of a value.
DEVICE u64 code_of(const Field &f, u64 bits) {
	if (f.sign) {
		if (bits == f.zero) bits = 0;
		if ((bits & ~f.sign) > f.most) bits = f.nan;
		bits = (bits & f.sign ? ~bits : bits ^ f.sign) + f.turn;
	}
	return (bits ^ f.flip) & f.mask;
}

DEVICE bool is_text(const Field &f) { return f.type >= FIELD_TEXT32; }

// Text is the bytes of one row.
struct Text {
	u64 begin, end;
};

DEVICE Text text_at(const Field &f, u64 row) {
	if (f.type == FIELD_TEXT32) return {((const u32 *)f.offsets)[row], ((const u32 *)f.offsets)[row + 1]};
	return {((const u64 *)f.offsets)[row], ((const u64 *)f.offsets)[row + 1]};
}

// aligned_word reads 8 bytes at an aligned address. Those outside of the texts' memory are 0 and are not read.
DEVICE u64 aligned_word(const Field &f, u64 address) {
	const u64 begin = (u64)f.values, end = begin + f.bytes;
	if (address >= begin && address + 8 <= end) return *(const u64 *)address;
	u64 v = 0;
	for (u64 i = 0; i < 8; i++)
		if (address + i >= begin && address + i < end) v |= (u64) * (const unsigned char *)(address + i) << 8 * i;
	return v;
}

// text_bytes returns the 8 bytes at a place of the texts' memory, the first one highest; bytes from left on are 0.
DEVICE u64 text_bytes(const Field &f, u64 at, u64 left) {
	if (left == 0) return 0;
	const u64 address = (u64)f.values + at, word = address & ~7ull;
	const u32 skip = (u32)(address & 7);
	u64 v = aligned_word(f, word) >> 8 * skip;
	if (left > 8 - skip) v |= skip ? aligned_word(f, word + 8) << (64 - 8 * skip) : 0;
	v = swap_bytes(v);
	return left < 8 ? v & ~0ull << (64 - 8 * left) : v;
}

// text_code returns the field of a text from its byte depth on: content bytes, then how many there are, or one more if there
// are more. So a text that ends comes before those that go on, also with zeros.
DEVICE u64 text_code(const Field &f, const Text &t, u64 depth) {
	const u64 size = t.end - t.begin, left = size > depth ? size - depth : 0;
	u64 code = f.content ? text_bytes(f, t.begin + depth, min(left, (u64)f.content)) >> (64 - 8 * f.content) : 0;
	if (f.length) code = code << f.length | min(left, (u64)f.content + 1);
	return (code ^ f.flip) & f.mask;
}

// load_codes loads the codes of some rows, which are no texts, and which of them are null.
template <int ROWS> DEVICE void load_codes(const Field &f, const u64 (&row)[ROWS], u64 (&code)[ROWS], bool (&null)[ROWS]) {
	load_nulls(f, row, null);
	load_bits(f, row, code);
#pragma unroll
	for (int k = 0; k < ROWS; k++) {
		if (!f.ranks) {
			code[k] = code_of(f, code[k]);
		} else if (!null[k]) {
			code[k] = code[k] < f.bytes ? f.ranks[code[k]] : NO_RANK;
			null[k] = code[k] == NO_RANK;
		}
	}
}

// load_field loads the bits of a field of some rows.
template <int ROWS> DEVICE void load_field(const Field &f, const u64 (&row)[ROWS], const u64 (&depth)[ROWS], u64 (&v)[ROWS]) {
	bool null[ROWS];
	if (is_text(f)) {
		load_nulls(f, row, null);
		if (f.part == PART_VALUE)
#pragma unroll
			for (int k = 0; k < ROWS; k++) v[k] = null[k] ? 0 : text_code(f, text_at(f, row[k]), depth[k]);
	} else if (f.part != PART_VALUE && !f.ranks) {
		load_nulls(f, row, null);
	} else {
		load_codes(f, row, v, null);
#pragma unroll
		for (int k = 0; k < ROWS; k++) v[k] = null[k] ? 0 : v[k] - f.least;
	}
	if (f.part != PART_VALUE)
#pragma unroll
		for (int k = 0; k < ROWS; k++) v[k] = null[k] != (f.part == PART_NULLS_FIRST);
}

// FieldsShared is the fields that a block reads.
struct FieldsShared {
	Field field[MOST_FIELDS];

	DEVICE void load(const Field *fields, u32 count) {
		for (u32 i = threadIdx.x; i < count * (u32)(sizeof(Field) / 8); i += COLUMN_THREADS) ((u64 *)field)[i] = ((const u64 *)fields)[i];
		__syncthreads(); // fields are in shared memory
	}
};

struct ColumnShared {
	FieldsShared fields;
	u64 warps[5][COLUMN_THREADS / 32];
};

// column_range reads n values of a column that has this field: lengths of texts, or codes. Of a dictionary these are ranks.
DEVICE void column_range(const Field *field, u64 n, FieldRange *range) {
	SORTER_SHARED(ColumnShared, shared);
	shared.fields.load(field, 1);
	const Field &f = shared.fields.field[0];
	const u64 tile = COLUMN_THREADS * COLUMN_ITEMS;
	u64 low = 0, most = 0, first = 0, nulls = 0, wrong = 0;
	for (u64 base = blockIdx.x * tile + threadIdx.x; base < n; base += gridDim.x * tile) {
		u64 row[COLUMN_ITEMS], code[COLUMN_ITEMS];
		bool null[COLUMN_ITEMS], bad[COLUMN_ITEMS];
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++) row[k] = min(base + k * COLUMN_THREADS, n - 1);
		if (is_text(f)) { // the offsets of all rows ascend, of nulls, too
			load_nulls(f, row, null);
#pragma unroll
			for (int k = 0; k < COLUMN_ITEMS; k++) {
				const Text t = text_at(f, row[k]);
				bad[k] = t.begin > t.end || t.end > f.bytes;
				code[k] = t.end - t.begin;
			}
		} else if (f.ranks) {
			load_nulls(f, row, null);
			load_bits(f, row, code);
#pragma unroll
			for (int k = 0; k < COLUMN_ITEMS; k++) {
				bad[k] = !null[k] && code[k] >= f.bytes;
				if (!null[k] && !bad[k]) null[k] = (code[k] = f.ranks[code[k]]) == NO_RANK;
			}
		} else {
			load_codes(f, row, code, null);
#pragma unroll
			for (int k = 0; k < COLUMN_ITEMS; k++) bad[k] = false;
		}
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++) {
			if (base + k * COLUMN_THREADS >= n) break;
			if (bad[k]) wrong = max(wrong, n - row[k]);
			nulls += null[k];
			if (null[k]) continue;
			low = max(low, ~code[k]), most = max(most, code[k]), first = max(first, n - row[k]);
		}
	}
	// One atomic of a block for each number: those of all warps would take longer than the column.
	u64 found[5] = {low, most, first, wrong, nulls};
#pragma unroll
	for (int k = 0; k < 5; k++) {
#pragma unroll
		for (int d = 16; d; d /= 2) {
			const u64 other = __shfl_xor_sync(FULL_WARP, found[k], d);
			found[k] = k < 4 ? max(found[k], other) : found[k] + other;
		}
		if (lane_id() == 0) shared.warps[k][warp_id()] = found[k];
	}
	__syncthreads(); // what all warps found is in shared memory
	if (threadIdx.x >= 5) return;
	u64 all = 0;
	for (u32 w = 0; w < COLUMN_THREADS / 32; w++) all = threadIdx.x < 4 ? max(all, shared.warps[threadIdx.x][w]) : all + shared.warps[4][w];
	if (threadIdx.x == 4) atomicAdd(&range->nulls, all);
	else atomicMax(&range->low + threadIdx.x, all);
}

// common_bytes returns how many bytes two texts have in common, of most.
DEVICE u64 common_bytes(const Field &f, u64 a, u64 b, u64 most) {
	for (u64 k = 0; k < most; k += 8) {
		const u64 differ = text_bytes(f, a + k, most - k) ^ text_bytes(f, b + k, most - k);
		if (differ) return k + __clzll((long long)differ) / 8;
	}
	return most;
}

// text_prefix lowers *common to the number of bytes that the texts of every step-th row have in common with that of a row.
DEVICE void text_prefix(const Field &field, u64 like, u64 n, u64 step, u64 *common) {
	const Field f = field;
	const Text a = text_at(f, like);
	const u64 threads = (u64)gridDim.x * COLUMN_THREADS;
	for (u64 i = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x; i < n / step; i += threads) {
		const u64 row = i * step, known = load_word(common);
		if (known == 0) return;
		if (f.validity && !bit_at(f.validity, f.first + row)) continue;
		const Text b = text_at(f, row);
		const u64 l = common_bytes(f, a.begin, b.begin, min(known, min(a.end - a.begin, b.end - b.begin)));
		if (l < known) atomicMin(common, l);
	}
}

// pack_codes makes the codes of n rows: those of a list, or if there is none all of them. depths has the first byte of the texts of
// each segment, or if it is null, depth is that of all.
template <class Code> DEVICE void pack_codes(const Field *fields, u32 count, const u32 *rows, const u32 *segments, const u64 *depths, u64 depth, u64 n, Code *codes) {
	SORTER_SHARED(FieldsShared, shared);
	shared.load(fields, count);
	const u64 tile = COLUMN_THREADS * COLUMN_ITEMS;
	for (u64 base = blockIdx.x * tile + threadIdx.x; base < n; base += gridDim.x * tile) {
		u64 row[COLUMN_ITEMS], from[COLUMN_ITEMS], code[COLUMN_ITEMS], v[COLUMN_ITEMS];
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++) {
			const u64 i = min(base + k * COLUMN_THREADS, n - 1);
			row[k] = rows ? rows[i] : i;
			from[k] = depths ? depths[segments[i]] : depth;
			code[k] = 0;
		}
		for (u32 c = 0; c < count; c++) {
			const Field &f = shared.field[c];
			load_field(f, row, from, v);
#pragma unroll
			for (int k = 0; k < COLUMN_ITEMS; k++) code[k] |= f.left >= 0 ? v[k] << f.left : v[k] >> -f.left;
		}
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++)
			if (base + k * COLUMN_THREADS < n) codes[base + k * COLUMN_THREADS] = (Code)code[k];
	}
}

// place_rows writes the rows of a list, in a new order of the list, to their places in the order of all.
DEVICE void place_rows(const u32 *rows, const u32 *places, const u32 *sorted, u64 n, u32 *order) {
	const u64 step = (u64)gridDim.x * COLUMN_THREADS;
	for (u64 i = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x; i < n; i += step) order[places[i]] = rows[sorted[i]];
}

// tied returns the ties of 32 rows of a list with those before them. Rows that begin a segment tie with none.
DEVICE u32 tied(const u32 *ties, const u32 *heads, u64 word) { return heads ? ties[word] & ~heads[word] : ties[word]; }

// in_runs returns which of 32 rows lie in a run of two or more.
DEVICE u32 in_runs(const u32 *ties, const u32 *heads, u64 word, u64 words) {
	const u32 here = tied(ties, heads, word), next = word + 1 < words ? tied(ties, heads, word + 1) : 0;
	return here | here >> 1 | next << 31;
}

// Counts of rows that tie, and of their runs: both in one word.
DEVICE u64 tie_count(u32 kept, u32 ties) { return (u64)__popc(kept) << 32 | __popc(kept & ~ties); }

struct TieShared {
	u64 sums[1024 / 32];
};

// scan_tie_counts returns the sum of v over the threads before this one, and all of it in total.
template <int THREADS> DEVICE u64 scan_tie_counts(u64 v, u64 *sums, u64 &total) {
	u64 inclusive = v;
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		const u64 left = __shfl_up_sync(FULL_WARP, inclusive, d);
		if (lane_id() >= (u32)d) inclusive += left;
	}
	__syncthreads(); // sums of an earlier scan are read
	if (lane_id() == 31) sums[warp_id()] = inclusive;
	__syncthreads(); // sums of all warps are written
	u64 before = 0;
	total = 0;
	for (int w = 0; w < THREADS / 32; w++) {
		if (w < (int)warp_id()) before += sums[w];
		total += sums[w];
	}
	return before + inclusive - v;
}

// tie_counts counts rows and runs of each tile.
DEVICE void tie_counts(const u32 *ties, const u32 *heads, u64 n, u64 *tiles) {
	SORTER_SHARED(TieShared, shared);
	const u64 words = (n + 31) / 32, word = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x;
	u64 total, count = 0;
	if (word < words) count = tie_count(in_runs(ties, heads, word, words), tied(ties, heads, word));
	scan_tie_counts<COLUMN_THREADS>(count, shared.sums, total);
	if (threadIdx.x == 0) tiles[blockIdx.x] = total;
}

// tie_scan replaces the counts of tiles by those of all tiles before. One block does so. The count of all goes to *all.
DEVICE void tie_scan(u64 *tiles, u64 count, u64 *all) {
	SORTER_SHARED(TieShared, shared);
	u64 before = 0;
	for (u64 base = 0; base < count; base += 1024) {
		const u64 i = base + threadIdx.x;
		u64 total;
		const u64 sum = scan_tie_counts<1024>(i < count ? tiles[i] : 0, shared.sums, total);
		if (i < count) tiles[i] = before + sum;
		before += total;
	}
	if (threadIdx.x == 0) *all = before;
}

// TieList is rows that tie, of a list of all rows or of an earlier one.
struct TieList {
	u32 *rows, *places, *segments; // of each row: number, place in the order, and run
	u32 *offsets;                  // of runs
	u32 *heads;                    // a bit for each row, set for the first of a run; clear before
	u64 *depths;                   // of runs
};

struct TieListShared {
	u64 sums[COLUMN_THREADS / 32];
	u64 before[COLUMN_THREADS];
};

// tie_lists makes the next list. sorted is the order of the rows of the list before it, whose arrays are those of from; if from.rows
// is null, it is that of all rows. Depths of runs grow by deeper.
DEVICE void tie_lists(const u32 *ties, u64 n, const u64 *tiles, const u32 *sorted, const TieList &from, u64 deeper, const TieList &to) {
	SORTER_SHARED(TieListShared, shared);
	const u64 words = (n + 31) / 32, first = (u64)blockIdx.x * COLUMN_THREADS;
	u64 total, count = 0;
	if (first + threadIdx.x < words) count = tie_count(in_runs(ties, from.heads, first + threadIdx.x, words), tied(ties, from.heads, first + threadIdx.x));
	shared.before[threadIdx.x] = tiles[blockIdx.x] + scan_tie_counts<COLUMN_THREADS>(count, shared.sums, total);
	__syncthreads(); // counts before each word are known
	for (u32 w = warp_id(); w < COLUMN_THREADS && first + w < words; w += COLUMN_THREADS / 32) {
		const u64 word = first + w;
		const u32 kept = in_runs(ties, from.heads, word, words), same = tied(ties, from.heads, word), below = (1u << lane_id()) - 1;
		if (!(kept >> lane_id() & 1)) continue;
		const u64 before = shared.before[w], i = word * 32 + lane_id();
		const u32 at = (u32)(before >> 32) + __popc(kept & below), row = sorted[i];
		const bool head = !(same >> lane_id() & 1);
		const u32 run = (u32)before + __popc(kept & ~same & below) + head - 1;
		to.rows[at] = from.rows ? from.rows[row] : row;
		to.places[at] = from.places ? from.places[i] : (u32)i;
		to.segments[at] = run;
		if (!head) continue;
		to.offsets[run] = at;
		to.depths[run] = (from.depths ? from.depths[from.segments[i]] : 0) + deeper;
		atomicOr(to.heads + at / 32, 1u << at % 32);
	}
}

// text_common lowers common, all ones before, to the number of bytes that all texts of each segment have in common, if they
// have those before its depth in common. It sets *open if texts differ, or if it has not compared them to the end.
DEVICE void text_common(const Field &field, const u32 *rows, const u32 *segments, const u64 *depths, u64 n, u64 *common, u32 *open) {
	const Field f = field;
	const u64 step = (u64)gridDim.x * COLUMN_THREADS;
	for (u64 i = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x + 1; i < n; i += step) {
		const u32 s = segments[i];
		if (segments[i - 1] != s) continue;
		const u64 depth = depths[s];
		u64 at[2], left[2];
		bool null[2];
#pragma unroll
		for (int k = 0; k < 2; k++) {
			const u32 row = rows[i - k];
			null[k] = f.validity && !bit_at(f.validity, f.first + row);
			const Text t = text_at(f, row);
			at[k] = t.begin + depth;
			left[k] = !null[k] && t.end - t.begin > depth ? t.end - t.begin - depth : 0;
		}
		const u64 most = min(min(left[0], left[1]), COMMON_MOST), l = common_bytes(f, at[0], at[1], most);
		if (depth + l < load_word(common + s)) atomicMin(common + s, depth + l);
		if ((l < max(left[0], left[1]) || null[0] != null[1]) && load_word(open) == 0) atomicExch(open, 1u);
	}
}

// refine_ties clears the marks of rows of a list that tie with the row before no longer.
DEVICE void refine_ties(const u32 *ties, const u32 *heads, const u32 *places, u64 n, u32 *marks) {
	const u64 step = (u64)gridDim.x * COLUMN_THREADS;
	for (u64 i = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x; i < n; i += step) {
		const u32 bit = 1u << i % 32;
		if ((ties[i / 32] | heads[i / 32]) & bit) continue; // ties still, or never did
		atomicAnd(marks + places[i] / 32, ~(1u << places[i] % 32));
	}
}

// rank_entries gives the entries of a dictionary, in order with ties marked, their ranks, equal ones for entries that tie, and
// NO_RANK to nulls. One block does so.
DEVICE void rank_entries(const u32 *order, const u32 *ties, const unsigned char *validity, u64 first, u64 n, u32 *ranks) {
	SORTER_SHARED(TieShared, shared);
	const u64 words = (n + 31) / 32;
	u64 before = 0;
	for (u64 base = 0; base < words; base += 1024) {
		const u64 word = base + threadIdx.x, i = 32 * word;
		const u32 in = word >= words ? 0 : n - i < 32 ? (1u << (n - i)) - 1 : ~0u;
		const u32 heads = in ? ~ties[word] & in : 0;
		u64 total;
		const u64 sum = before + scan_tie_counts<1024>(__popc(heads), shared.sums, total);
		for (u32 k = 0; k < 32; k++) {
			if (!(in >> k & 1)) break;
			const u32 entry = order[i + k];
			const bool null = validity && !bit_at(validity, first + entry);
			ranks[entry] = null ? NO_RANK : (u32)sum + __popc(heads & (~0u >> (31 - k))) - 1;
		}
		before += total;
	}
}
