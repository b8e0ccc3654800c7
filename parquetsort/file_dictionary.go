package parquetsort

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/bloom/xxhash"
)

// values are values of a column, one after the other, as package parquet has them in memory; a bool takes a byte.
type values struct {
	data    []byte
	offsets []uint32 // of values that vary in length, one more than there are
}

// at returns a value.
func (v *values) at(c *column, i int) []byte {
	if c.width == 0 {
		return v.data[v.offsets[i]:v.offsets[i+1]]
	}
	return v.data[i*c.width : (i+1)*c.width]
}

// add appends a value.
func (v *values) add(c *column, x []byte) {
	if c.width == 0 {
		if len(v.offsets) == 0 {
			v.offsets = append(v.offsets, 0)
		}
		v.offsets = append(v.offsets, uint32(len(v.data)+len(x)))
	}
	v.data = append(v.data, x...)
}

// reset drops all values and keeps their memory.
func (v *values) reset() { v.data, v.offsets = v.data[:0], v.offsets[:0] }

// dictionary numbers distinct values, in the order in which they come. Values are distinct by their bytes: so
// NaNs and zeros keep theirs.
type dictionary struct {
	of    *column
	kept  values
	n     int
	slots []uint32 // number and 1 more, 0 if free; open addressing
	shift uint     // of hashes
}

func newDictionary(c *column) *dictionary {
	d := &dictionary{of: c}
	d.resize(10)
	return d
}

// resize makes a table of 1<<bits slots.
func (d *dictionary) resize(bits uint) {
	d.slots, d.shift = make([]uint32, 1<<bits), 64-bits
	for i := range d.n {
		s := d.hash(d.kept.at(d.of, i)) >> d.shift
		for d.slots[s] != 0 {
			s = (s + 1) & uint64(len(d.slots)-1)
		}
		d.slots[s] = uint32(i) + 1
	}
}

func (d *dictionary) hash(x []byte) uint64 {
	switch len(x) {
	case 8:
		return binary.NativeEndian.Uint64(x) * 0x9e3779b97f4a7c15
	case 4:
		return uint64(binary.NativeEndian.Uint32(x)) * 0x9e3779b97f4a7c15
	}
	return xxhash.Sum64(x) * 0x9e3779b97f4a7c15
}

// number returns the number of a value, which is new if it was not there.
func (d *dictionary) number(x []byte) uint32 {
	for s := d.hash(x) >> d.shift; ; s = (s + 1) & uint64(len(d.slots)-1) {
		switch id := d.slots[s]; {
		case id == 0:
			return d.add(x, s)
		case bytes.Equal(d.kept.at(d.of, int(id-1)), x):
			return id - 1
		}
	}
}

func (d *dictionary) add(x []byte, slot uint64) uint32 {
	d.kept.add(d.of, x)
	d.n++
	if d.slots[slot] = uint32(d.n); 2*d.n > len(d.slots) {
		d.resize(64 - d.shift + 1)
	}
	return uint32(d.n - 1)
}

// bytes returns the memory of the dictionary.
func (d *dictionary) bytes() int { return len(d.kept.data) + 4*len(d.kept.offsets) + 4*len(d.slots) }

// ordered returns the numbers of all values in the order of the column.
func (d *dictionary) ordered() []uint32 {
	numbers := make([]uint32, d.n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	d.of.sort(&d.kept, numbers)
	return numbers
}

// sort sorts numbers of values by the values.
func (c *column) sort(v *values, numbers []uint32) {
	slices.SortFunc(numbers, func(a, b uint32) int {
		if order := c.compare(v.at(c, int(a)), v.at(c, int(b))); order != 0 {
			return order
		}
		return int(int64(a) - int64(b))
	})
}

// translation numbers the values of the dictionaries of pages by those of one dictionary.
type translation struct {
	to    *dictionary
	chunk *sourceChunk // of which numbers are known
	known []uint32
}

// errManyValues reports that a column has too many distinct values for a dictionary.
type errManyValues struct{}

func (errManyValues) Error() string { return "too many values for a dictionary" }

// numbers returns the numbers of the values of a page's dictionary. The dictionary has at most mostValues
// values and mostBytes bytes.
func (t *translation) numbers(p *page, mostValues, mostBytes int) ([]uint32, error) {
	if t.chunk == p.chunk {
		return t.known, nil
	}
	t.chunk, t.known = p.chunk, t.known[:0]
	for i := range p.distinct {
		t.known = append(t.known, t.to.number(p.dictionary.at(t.to.of, i)))
		if t.to.n > mostValues || t.to.bytes() > mostBytes {
			return nil, errManyValues{}
		}
	}
	return t.known, nil
}
