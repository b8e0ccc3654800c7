package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"example.com/sorter/bench/internal/picture"
)

// drawSizes draws the table of the machine whose results are in the repository.
func drawSizes(bench, to string) error {
	text, err := os.ReadFile(filepath.Join(bench, "results", "epyc-2cores", "extsort.md"))
	if err != nil {
		return err
	}
	chart, err := chartOf(string(text))
	if err != nil {
		return err
	}
	return chart.Save(filepath.Join(to, "sizes"))
}

// chartOf returns the picture of a table.
func chartOf(text string) (picture.Chart, error) {
	before, rest, found := strings.Cut(text, head+"\n")
	lines := strings.Split(before, "\n")
	if !found || len(lines) < 3 {
		return picture.Chart{}, fmt.Errorf("no table with %q", head)
	}
	chart := picture.Chart{
		Title: "extsort: time for a 24-byte record, by the size of the input", Below: lines[2],
		X: "input, times the memory limit of 64 MiB", Y: "ns per record",
		Curves: []picture.Curve{
			{Name: "extsort", Look: picture.Look{Color: picture.RGB(0xd55e00), Width: 3, Shape: draw.CircleGlyph{}}},
			{Name: "sorter.Sort in memory", Look: picture.Look{Color: picture.RGB(0), Width: 1.6, Shape: draw.SquareGlyph{}}},
		},
	}
	for _, line := range strings.Split(rest, "\n")[1:] { // after the rule
		cells := strings.Split(line, "|")
		if len(cells) < strings.Count(head, "|") {
			break
		}
		cell := func(i int) (float64, error) { return strconv.ParseFloat(strings.TrimSpace(cells[i]), 64) }
		x, err := cell(1)
		if err != nil {
			return chart, err
		}
		chart.Ticks = append(chart.Ticks, plot.Tick{Value: x, Label: fmt.Sprint(x)})
		for i, column := range []int{6, 9} {
			if y, err := cell(column); err == nil {
				chart.Curves[i].Points = append(chart.Curves[i].Points, plotter.XY{X: x, Y: y})
			} else if i == 0 {
				return chart, err
			}
		}
	}
	for _, c := range chart.Curves {
		if len(c.Points) == 0 {
			return chart, fmt.Errorf("no time of %s", c.Name)
		}
	}
	return chart, nil
}
