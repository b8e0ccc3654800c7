package main

import (
	"fmt"
	"image/color"
	"math"

	"example.com/sorter/bench/internal/picture"
	"example.com/sorter/bench/internal/table"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	leadsMargin = 1.15 * vg.Inch
	leadHeight  = 0.45 * vg.Inch
	leadsLeft   = 2.6 * vg.Inch  // room for the names of the cases
	leadsTop    = 0.35 * vg.Inch // and of the distributions
)

// leads draws a grid of cases and distributions: how many times as fast as the
// fastest other contender the library is at the largest size, and who that is.
func (r *report) leads(c draw.Canvas) {
	n := r.leadsSize()
	c = picture.Titled(c, fmt.Sprintf("sorter's lead over the fastest other contender, n = %s", table.Power(n)), r.Machine.String())
	width := (c.Size().X - leadsLeft) / vg.Length(len(r.Dists))
	cases := r.cases()
	height := (c.Size().Y - leadsTop) / vg.Length(len(cases))
	for i, d := range r.Dists {
		x := c.Min.X + leadsLeft + (vg.Length(i)+0.5)*width
		picture.Write(c, 10, vg.Point{X: x, Y: c.Max.Y - leadsTop + 10}, draw.XCenter, d)
	}
	for j, bench := range cases {
		y := c.Max.Y - leadsTop - vg.Length(j+1)*height
		picture.Write(c, 10, vg.Point{X: c.Min.X + leadsLeft - 8, Y: y + height/2}, draw.XRight, bench.Name)
		for i, d := range r.Dists {
			corner := vg.Point{X: c.Min.X + leadsLeft + vg.Length(i)*width, Y: y}
			r.lead(c, vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: width, Y: height})}, bench.Name, d, n)
		}
	}
}

// leadsSize is the largest size that every distribution was measured at, as
// far as one was.
func (r *report) leadsSize() int {
	last := r.Dists[len(r.Dists)-1]
	largest := r.Sizes[0]
	for _, x := range r.Results {
		if x.Dist == last {
			largest = max(largest, x.N)
		}
	}
	return largest
}

func (r *report) lead(c draw.Canvas, box vg.Rectangle, name, d string, n int) {
	rival := r.rival(name, d, n, peer, standard)
	ratio := r.ratio(cell{name, d, n, rival}, cell{name, d, n, ours})
	if math.IsNaN(ratio) {
		return
	}
	box.Min, box.Max = box.Min.Add(vg.Point{X: 1, Y: 1}), box.Max.Sub(vg.Point{X: 1, Y: 1})
	c.SetColor(shade(ratio))
	c.Fill(box.Path())
	center := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	picture.Write(c, 11, center.Add(vg.Point{Y: 5}), draw.XCenter, table.Times(ratio))
	picture.Write(c, 6, center.Sub(vg.Point{Y: 7}), draw.XCenter, rival)
}

// shade is red below 1, white at 1, and the greener the larger the lead, full
// at 8.
func shade(ratio float64) color.Color {
	strength := min(math.Abs(math.Log2(ratio))/3, 1)
	fade := func(full uint8) uint8 { return 255 - uint8(strength*float64(255-full)) }
	if ratio < 1 {
		return color.RGBA{R: fade(0xd7), G: fade(0x30), B: fade(0x27), A: 255}
	}
	return color.RGBA{R: fade(0x66), G: fade(0xbd), B: fade(0x63), A: 255}
}
