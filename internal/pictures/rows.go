package main

import "fmt"

// row is the elements after one step of an algorithm.
type row struct {
	label  []string // lines beside it
	groups []group
	apart  bool // nothing leads here from the row above
}

// group is neighbouring elements that belong together: a tile, a bucket, a run.
type group struct {
	name  string // over the elements, "" for none
	cells []cell
}

// cell is an element, of which the picture follows the way by its number, or a
// free place.
type cell struct {
	words string
	id    int // none: a free place
	tone  int
}

const none = -1

const (
	labelWidth = 158.0
	cellHeight = 24.0
	headHeight = 18.0
	rowGap     = 34.0
	groupGap   = 12.0
	margin     = 14.0
	pageWidth  = 760.0
)

// rows draws a picture of rows, with lines from where an element was to where it
// is next, in the colour that it has there.
func rows(title string, all ...row) *canvas {
	c := &canvas{title: title, width: pageWidth}
	y := margin
	was := map[int][2]float64{}
	for i, r := range all {
		head := 0.0
		for _, g := range r.groups {
			if g.name != "" {
				head = headHeight
			}
		}
		for l, words := range r.label {
			c.writeLeft(margin, y+head+cellHeight/2+float64(l)*16-float64(len(r.label)-1)*8, words)
		}
		is := map[int][2]float64{}
		x, width := labelWidth, cellWidth(r)
		for _, g := range r.groups {
			if g.name != "" {
				c.write(x+width*float64(len(g.cells))/2, y+headHeight/2, g.name)
				c.rect("grid", x, y, width*float64(len(g.cells)), headHeight)
			}
			for _, e := range g.cells {
				middle := x + width/2
				if e.id == none {
					c.rect("free", x, y+head, width, cellHeight)
				} else {
					c.rect(fmt.Sprintf("g%d", e.tone), x, y+head, width, cellHeight)
					c.write(middle, y+head+cellHeight/2, e.words)
					if from, ok := was[e.id]; ok && !r.apart {
						c.curve(fmt.Sprintf("l%d", e.tone), from[0], from[1], middle, y)
					}
					is[e.id] = [2]float64{middle, y + head + cellHeight}
				}
				x += width
			}
			x += groupGap
		}
		was = is
		y += head + cellHeight
		if i+1 < len(all) {
			y += rowGap
		}
	}
	c.height = y + margin
	return c
}

// cellWidth makes a row as wide as the page, if its elements are many.
func cellWidth(r row) float64 {
	cells := 0
	for _, g := range r.groups {
		cells += len(g.cells)
	}
	return min(34, (pageWidth-margin-labelWidth-float64(len(r.groups)-1)*groupGap)/float64(cells))
}
