package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// checkTables returns a disorder if a row does not come after the one before it: with -u, also if it ties with it.
func (cmd *command) checkTables(in string, stdin io.Reader, m *meter) (err error) {
	ctx, stop := cmd.interrupts()
	defer stop()
	folder := &workFolder{parent: firstOf(cmd.dirs)}
	defer func() { err = errors.Join(err, folder.remove()) }()
	defer cmd.explainDamage(&err)
	m.stage("check", "rows", 0)
	t, err := cmd.openTables(ctx, in, stdin, folder, m)
	if err != nil {
		return err
	}
	defer t.Release()
	keys, err := cmd.sortKeys(t)
	if err != nil {
		return err
	}
	c := tableCheck{command: cmd, keys: keys}
	defer c.drop()
	for t.Next() {
		if err := c.check(cmd.computing(ctx), t.RecordBatch()); err != nil {
			return err
		}
	}
	return t.Err()
}

// tableCheck checks batches one after the other.
type tableCheck struct {
	*command
	keys []arrowsort.SortKey
	last arrow.RecordBatch // one row, the one before
	rows int64             // before the next batch
}

func (c *tableCheck) drop() {
	if c.last != nil {
		c.last.Release()
	}
}

// check ranks the rows of a batch and the one before it: in order, ranks do not fall.
func (c *tableCheck) check(ctx context.Context, batch arrow.RecordBatch) error {
	if batch.NumRows() == 0 {
		return nil
	}
	batches := []arrow.RecordBatch{batch}
	if c.last != nil {
		batches = []arrow.RecordBatch{c.last, batch}
	}
	table := array.NewTableFromRecords(batch.Schema(), batches)
	defer table.Release()
	ranked, err := arrowsort.Rank(ctx, arrowsort.NewDatumWithoutOwning(table), arrowsort.RankOptions{Keys: c.keys, Tiebreaker: arrowsort.TieDense})
	if err != nil {
		return err
	}
	defer ranked.Release()
	ranks := array.MakeFromData(ranked.(*arrowsort.ArrayDatum).Value)
	defer ranks.Release()
	values := ranks.(*array.Uint64).Uint64Values()
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] || c.unique && values[i] == values[i-1] {
			row := c.rows + int64(i) + 1
			if c.last != nil {
				row--
			}
			return &disorder{fmt.Sprintf("%s: row %d", nameOf(c.files[0]), row), c.describe(table, i), '\n'}
		}
	}
	c.drop()
	c.last = batch.NewSlice(batch.NumRows()-1, batch.NumRows())
	c.rows += batch.NumRows()
	return nil
}

// describe returns the keys of a row.
func (c *tableCheck) describe(table arrow.Table, row int) string {
	var all []string
	for _, k := range c.keys {
		at := row
		for _, chunk := range table.Column(k.ColumnIndex).Data().Chunks() {
			if at < chunk.Len() {
				all = append(all, fmt.Sprintf("%s %s", table.Schema().Field(k.ColumnIndex).Name, chunk.ValueStr(at)))
				break
			}
			at -= chunk.Len()
		}
	}
	return strings.Join(all, ", ")
}
