// Command modules draws the speed tables of the modules' README files as bars, each beside its
// README as speed.svg and speed.png.
//
//	cd bench && go run ./modules
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/sorter/bench/internal/picture"
)

// figure is a picture of a table: for each row bars with how many times as fast as a peer
// something is.
type figure struct {
	folder string // of the README, from the root of the repository
	head   string // the table's first line begins so
	title  string
	labels []int // columns that name a row
	series []series
}

// series is a bar of each row.
type series struct {
	name  string
	ratio func(cells []string) (float64, error)
}

var figures = []figure{
	{"arrowsort", "| keys | rows |", "arrowsort.SortIndices, times as fast as arrow-go v18.8.0", []int{0, 1},
		[]series{{"1 worker", quotient(2, 3)}, {"2 workers", quotient(5, 6)}}},
	{"parquetsort", "| sorted by | buffers |", "parquetsort.Writer, times as fast as parquet.SortingWriter v0.32.0, 10⁶ rows", []int{0, 1},
		[]series{{"Writer", quotient(2, 3)}}},
	{"collation", "| texts |", "collation.Sort, times as fast as the SortStrings of a collator, by the number of texts", []int{0},
		[]series{{"1 worker", quotient(2, 3)}, {"2 workers", quotient(2, 4)}}},
	{"examples/mysql", "| rows | int |", "go-mysql-server with the library, times as fast as without, by the number of rows", []int{0},
		[]series{{"int", within(1)}, {"string", within(2)}, {"two columns", within(4)}, {"window", within(5)}}},
	{"cmd/filesort", "| keys | GNU sort", "filesort, times as fast as GNU sort 9.1, two threads, 2 million lines", []int{0},
		[]series{{"filesort", quotient(1, 2)}}},
}

// quotient is the time in a column over that in another.
func quotient(peer, ours int) func([]string) (float64, error) {
	return func(cells []string) (float64, error) {
		if max(peer, ours) >= len(cells) {
			return 0, fmt.Errorf("%d columns", len(cells))
		}
		a, err := number(cells[peer])
		if err != nil {
			return 0, err
		}
		b, err := number(cells[ours])
		return a / b, err
	}
}

// within is the quotient of "a / b" in a column.
func within(column int) func([]string) (float64, error) {
	return func(cells []string) (float64, error) {
		if column >= len(cells) {
			return 0, fmt.Errorf("%d columns", len(cells))
		}
		return quotient(0, 1)(strings.Split(cells[column], "/"))
	}
}

// number is the first number of a cell.
func number(cell string) (float64, error) {
	fields := strings.Fields(strings.ReplaceAll(cell, ",", ""))
	if len(fields) == 0 {
		return 0, fmt.Errorf("no number in %q", cell)
	}
	return strconv.ParseFloat(fields[0], 64)
}

// bars are a row of a figure.
type bars struct {
	label  string
	ratios []float64
}

// read returns the rows of the first table of a text with the head of f. Rows without
// numbers of the peer are left out.
func (f figure) read(text string) (rows []bars, err error) {
	_, rest, found := strings.Cut("\n"+text, "\n"+f.head)
	if !found {
		return nil, fmt.Errorf("%s: no table with %q", f.folder, f.head)
	}
	for i, line := range strings.Split(rest, "\n") {
		if i < 2 { // the rest of the head, and the rule
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		row := bars{}
		for _, c := range f.labels {
			row.label = strings.TrimSpace(row.label + "  " + strings.Trim(strings.TrimSpace(cells[c]), "`"))
		}
		for _, s := range f.series {
			ratio, err := s.ratio(cells)
			if err != nil {
				row.ratios = nil
				break
			}
			row.ratios = append(row.ratios, ratio)
		}
		if row.ratios != nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no row with numbers", f.folder)
	}
	return rows, nil
}

const (
	left  = 2.7 * vg.Inch // room for labels
	right = 1.3 * vg.Inch // room for the legend
	thick = 9             // of a bar
	apart = 9             // rows
	foot  = 14
	above = 62 // the title
)

var colors = []uint32{0xd55e00, 0x0072b2, 0x009e73, 0xe69f00} // Okabe and Ito

func (f figure) height(rows []bars) vg.Length {
	return vg.Length(above + foot + len(rows)*(thick*len(f.series)+apart))
}

func (f figure) draw(c draw.Canvas, rows []bars) {
	c = picture.Titled(c, f.title, "numbers, machine and conditions: the table of README.md; the line is at 1")
	most := 1.0
	for _, r := range rows {
		for _, x := range r.ratios {
			most = max(most, x)
		}
	}
	scale := (c.Size().X - left - right - 30) / vg.Length(most)
	y := c.Max.Y
	for _, r := range rows {
		y -= apart
		picture.Write(c, 9, vg.Point{X: c.Min.X + left - 8, Y: y - vg.Length(thick*len(r.ratios))/2}, draw.XRight, r.label)
		for i, x := range r.ratios {
			y -= thick
			end := c.Min.X + left + vg.Length(x)*scale
			c.SetColor(picture.RGB(colors[i]))
			c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X + left, Y: y + 1}, Max: vg.Point{X: end, Y: y + thick - 1}}.Path())
			picture.Write(c, 7, vg.Point{X: end + 3, Y: y + thick/2}, draw.XLeft, fmt.Sprintf("%.1f", x))
		}
	}
	c.SetColor(picture.RGB(0))
	c.SetLineWidth(0.7)
	var one vg.Path
	one.Move(vg.Point{X: c.Min.X + left + scale, Y: c.Max.Y})
	one.Line(vg.Point{X: c.Min.X + left + scale, Y: y - 3})
	c.Stroke(one)
	for i, s := range f.series {
		at := vg.Point{X: c.Max.X - right + 12, Y: c.Max.Y - apart - vg.Length(i)*13}
		c.SetColor(picture.RGB(colors[i]))
		c.Fill(vg.Rectangle{Min: at.Sub(vg.Point{Y: thick - 1}), Max: at.Add(vg.Point{X: 14, Y: -1})}.Path())
		picture.Write(c, 9, at.Add(vg.Point{X: 20, Y: -thick / 2}), draw.XLeft, s.name)
	}
}

// save draws the figure of the README of a folder into another.
func (f figure) save(root, to string) error {
	text, err := os.ReadFile(filepath.Join(root, f.folder, "README.md"))
	if err != nil {
		return err
	}
	rows, err := f.read(string(text))
	if err != nil {
		return err
	}
	return picture.Save(filepath.Join(to, "speed"), f.height(rows), func(c draw.Canvas) { f.draw(c, rows) })
}

func main() {
	for _, f := range figures {
		if err := f.save("..", filepath.Join("..", f.folder)); err != nil {
			log.Fatal(err)
		}
	}
}
