package main

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/sorter/bench/internal/picture"
)

// draw draws a panel: lines over its axis, or bars beside those of the paper.
func (b *bench) draw(p *panel, path string) error {
	title := paperOf(p).short + ", " + p.title
	if p.theirs != nil {
		height := barsMargin + barHeight*vg.Length(len(p.contenders()))
		return picture.Save(path, height, func(c draw.Canvas) { b.bars(picture.Titled(c, title+", logarithmic", b.below()), p) })
	}
	chart := picture.Chart{Title: title, Below: b.below(), X: p.axis.name, Y: "ms", Curves: curves(p)}
	for _, x := range p.places() {
		chart.Ticks = append(chart.Ticks, plot.Tick{Value: float64(x), Label: strings.ReplaceAll(p.axis.label(x), " million", "·10⁶")})
	}
	return chart.Save(path)
}

// below says where it was measured.
func (b *bench) below() string {
	if b.gpu != nil {
		return b.gpu.Name + ", " + b.machine.String()
	}
	return b.machine.String()
}

// curves are ms over the axis, one of each contender. A logarithmic axis has no
// place for a stage that took no time.
func curves(p *panel) (curves []picture.Curve) {
	for i, name := range p.contenders() {
		curve := picture.Curve{Name: name, Look: lookOf(name, i)}
		for _, x := range p.places() {
			if r, measured := p.at(x, name); measured && r.median > 0 {
				curve.Points = append(curve.Points, plotter.XY{X: float64(x), Y: r.median})
			}
		}
		if len(curve.Points) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

const (
	barsMargin = 1.15 * vg.Inch
	barHeight  = 0.5 * vg.Inch
	barsLeft   = 1.9 * vg.Inch // room for the names
	barsRight  = 1.5 * vg.Inch // and for the numbers
)

// bars are a row for every contender: its time here, and below that its
// time in the paper, on one logarithmic scale.
func (b *bench) bars(c draw.Canvas, p *panel) {
	x := p.places()[0]
	least, most := limits(p)
	scale := (c.Size().X - barsLeft - barsRight) / vg.Length(math.Log(most/least))
	bar := func(y vg.Length, ms float64, shade color.Color, whose string) {
		from := vg.Point{X: c.Min.X + barsLeft, Y: y - 6}
		to := vg.Point{X: from.X + vg.Length(math.Log(ms/least))*scale, Y: y + 6}
		c.SetColor(shade)
		c.Fill(vg.Rectangle{Min: from, Max: to}.Path())
		picture.Write(c, 9, vg.Point{X: to.X + 4, Y: y}, draw.XLeft, number(ms)+" ms "+whose)
	}
	for i, name := range p.contenders() {
		y := c.Max.Y - barHeight*(vg.Length(i)+0.5)
		picture.Write(c, 10, vg.Point{X: c.Min.X + barsLeft - 8, Y: y}, draw.XRight, name)
		if r, measured := p.at(x, name); measured {
			bar(y+7, r.median, picture.RGB(0xd55e00), "here")
		}
		if theirs, ok := p.theirs[name]; ok {
			bar(y-7, theirs, picture.RGB(0xaaaaaa), "in the paper")
		}
	}
}

// limits are the ends of the bars' scale.
func limits(p *panel) (least, most float64) {
	least, most = math.Inf(1), 0
	reach := func(ms float64) { least, most = min(least, ms/2), max(most, ms) }
	for _, r := range p.results {
		if r.note == "" {
			reach(r.median)
		}
	}
	for _, theirs := range p.theirs {
		reach(theirs)
	}
	return least, most
}
