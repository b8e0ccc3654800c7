package parquetsort

import (
	"bytes"
	"encoding/binary"
	"iter"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// rowBytes is the length of a row's number after its key.
const rowBytes = 4

// orderOnDisk returns the order by package extsort, of keys that are encoded so that their bytes compare as rows do. The
// number of a row follows its key, so no keys are equal.
func (s *fileSort) orderOnDisk() ([]uint32, error) {
	memory := s.options.room() - int64(s.rows)*4
	opts := []extsort.Option{extsort.MemoryLimit(memory), extsort.WithContext(s.ctx), extsort.TempDir(s.store.dir), extsort.Workers(s.options.workers)}
	if s.options.limit > 0 && !s.options.unique {
		opts = append(opts, extsort.Limit(s.options.limit))
	}
	keys, err := extsort.NewCoded(sorter.By(sorter.Asc(func(key []byte) []byte { return key })), extsort.Bytes(), opts...)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	if err := s.appendKeys(keys.Append); err != nil {
		return nil, err
	}
	var order []uint32
	var last []byte
	for batch, err := range keys.Batches() {
		if err != nil {
			return nil, err
		}
		for _, key := range batch {
			at := len(key) - rowBytes
			if s.options.unique && len(order) > 0 && bytes.Equal(key[:at], last) {
				continue
			}
			if order = append(order, binary.BigEndian.Uint32(key[at:])); s.options.unique {
				last = append(last[:0], key[:at]...)
			}
		}
		if limit := s.options.limit; limit > 0 && int64(len(order)) >= limit {
			return order[:limit], nil
		}
	}
	return order, nil
}

// appendKeys calls each with the keys of all rows. All sorting columns are read side by side.
func (s *fileSort) appendKeys(each func(...[]byte) error) error {
	var columns []func() (rowKeys, error, bool)
	for _, k := range s.keys {
		key := keyColumn{leaf: k, column: s.columns[k.ColumnIndex], rows: s.rows}
		next, stop := iter.Pull2(key.batches(s))
		defer stop()
		columns = append(columns, next)
	}
	var key []byte
	held := make([]rowKeys, len(columns))
	for row := range s.rows {
		key = key[:0]
		for i, next := range columns {
			for held[i].empty() {
				var err error
				var ok bool
				if held[i], err, ok = next(); err != nil {
					return err
				} else if !ok {
					panic("parquetsort: a column ends before its rows") // eachPage has counted them
				}
			}
			key = append(key, held[i].take()...)
		}
		if err := each(binary.BigEndian.AppendUint32(key, uint32(row))); err != nil {
			return err
		}
	}
	return nil
}

// rowKeys are keys of consecutive rows.
type rowKeys struct {
	data []byte
	ends []int
	at   int // of the next row
	from int // its first byte
}

func (r *rowKeys) empty() bool { return r.at >= len(r.ends) }

func (r *rowKeys) take() []byte {
	key := r.data[r.from:r.ends[r.at]]
	r.from = r.ends[r.at]
	r.at++
	return key
}

// batchOfKeys is how many rows a column encodes at a time.
const batchOfKeys = 1 << 10

// batches returns the keys of a column, some rows at a time. Their memory is used again.
func (k *keyColumn) batches(s *fileSort) iter.Seq2[rowKeys, error] {
	return func(yield func(rowKeys, error) bool) {
		var b rowKeys
		begun, stopped := false, false
		end := func() {
			b.data = append(b.data, endOfList)
			b.ends = append(b.ends, len(b.data))
		}
		err := k.eachEncoded(s, func(repetition int, element func([]byte) []byte) error {
			if repetition == 0 && begun {
				if end(); len(b.ends) == batchOfKeys {
					if !yield(b, nil) {
						stopped = true
						return errStopped{}
					}
					b.data, b.ends = b.data[:0], b.ends[:0]
				}
			}
			begun = true
			b.data = element(b.data)
			return nil
		})
		switch {
		case stopped:
		case err != nil:
			yield(rowKeys{}, err)
		case begun:
			end()
			yield(b, nil)
		}
	}
}

// errStopped ends the pages of a column that nobody reads on.
type errStopped struct{}

func (errStopped) Error() string { return "stopped" }
