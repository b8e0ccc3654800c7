package main

import (
	"context"
	"slices"
	"sync/atomic"

	"example.com/sorter"
)

// unique sorts rows for -u that are the same only if their texts are, too. Where values tie the
// texts mostly do, so rows are sorted by both only if it turns out that they do not.
func (t *table) unique(ctx context.Context, by sorter.Ordering[row], cmd *command, opts []sorter.Option) ([]row, error) {
	if err := by.Sort(t.rows, opts...); err != nil {
		return nil, err
	}
	var differ atomic.Bool
	texts := sorter.By(t.texts...)
	rows, err := compact(ctx, func(a, b row) int {
		c := by.Compare(a, b)
		if c == 0 {
			if c = texts.Compare(a, b); c != 0 {
				differ.Store(true)
			}
		}
		return c
	}, t.rows, t.first, cmd.workers)
	if err == nil && differ.Load() {
		whole := sorter.By(append(slices.Clip(t.columns), t.texts...)...)
		if err = whole.Sort(rows, opts...); err == nil {
			rows, err = compact(ctx, whole.Compare, rows, t.first, cmd.workers)
		}
	}
	if cmd.top > 0 {
		rows = rows[:min(cmd.top, len(rows))]
	}
	return rows, err
}
