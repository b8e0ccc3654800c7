// Command columns puts support tickets in the order in which they should be
// answered: the most severe first, among those the one that is due first, a
// ticket without a due date after those with one, and of two that are due at
// the same time the one that has waited longer.
package main

import (
	"fmt"
	"log"
	"time"

	"example.com/sorter"
)

type ticket struct {
	id       int
	severity int8 // 3 is an outage, 1 a question
	due      time.Time
	opened   time.Time
	title    string
}

var queue = sorter.By(
	sorter.Desc(func(t ticket) int8 { return t.severity }),
	sorter.Asc(func(t ticket) time.Time { return t.due }).NullsLast(func(t ticket) bool { return t.due.IsZero() }),
	sorter.Asc(func(t ticket) time.Time { return t.opened }),
)

func main() {
	day := func(month, day int) time.Time { return time.Date(2025, time.Month(month), day, 0, 0, 0, 0, time.UTC) }
	never := time.Time{}
	tickets := []ticket{
		{101, 1, never, day(2, 1), "How do I export a report?"},
		{102, 2, day(3, 9), day(2, 3), "Totals are off by a cent"},
		{103, 3, never, day(3, 2), "Login fails for everybody"},
		{104, 2, day(3, 5), day(3, 1), "Import stops at row 65536"},
		{105, 3, day(3, 3), day(3, 3), "Nightly backup is missing"},
		{106, 2, day(3, 5), day(2, 7), "Dates shift by one day"},
		{107, 2, never, day(1, 8), "Search ignores umlauts"},
		{108, 1, day(3, 3), day(2, 2), "Please change our address"},
	}
	if err := queue.Sort(tickets); err != nil {
		log.Fatal(err)
	}
	for _, t := range tickets {
		due := "whenever"
		if !t.due.IsZero() {
			due = t.due.Format("Jan _2")
		}
		fmt.Printf("%d  %-8s  #%d %s\n", t.severity, due, t.id, t.title)
	}
}
