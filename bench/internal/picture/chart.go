package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"example.com/sorter/bench/internal/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	chartHeight = 5.5 * vg.Inch
	legendWidth = 2.1 * vg.Inch // beside the lines, so that it covers none
	axisLabel   = 18            // room for the label of an axis
)

// Chart is a picture of lines over logarithmic axes.
type Chart struct {
	Title, Below string
	X, Y         string      // labels of the axes
	Ticks        []plot.Tick // of the x axis; nil: powers of ten
	Curves       []Curve
}

// Curve is a line with its points, in ascending order.
type Curve struct {
	Name   string
	Look   Look
	Points plotter.XYs
}

// Look is how a contender is drawn, the same in every picture.
type Look struct {
	Color color.RGBA
	Width vg.Length
	Dash  []vg.Length
	Shape draw.GlyphDrawer
}

// Dashed is a dash of a [Look].
var Dashed = []vg.Length{vg.Points(5), vg.Points(3)}

// Save draws the chart as path.svg and as path.png.
func (ch Chart) Save(path string) error {
	p, legend, err := ch.plot()
	if err != nil {
		return err
	}
	return Save(path, chartHeight, func(c draw.Canvas) { ch.beside(Titled(c, ch.Title, ch.Below), p, legend) })
}

// beside draws a plot with its legend to the right of it. It writes the labels
// of the axes itself: the plot would reserve room for them as if they stood at
// the logarithm of the middle.
func (ch Chart) beside(c draw.Canvas, p *plot.Plot, legend plot.Legend) {
	lines := draw.Crop(c, axisLabel, -legendWidth, axisLabel, 0)
	p.Draw(lines)
	legend.Draw(draw.Crop(c, c.Size().X-legendWidth+8, 0, 0, 0))
	middle := lines.Center()
	Write(c, 11, vg.Point{X: middle.X, Y: c.Min.Y + 6}, draw.XCenter, ch.X+" (logarithmic)")
	c.Push()
	c.Translate(vg.Point{X: c.Min.X + 6, Y: middle.Y})
	c.Rotate(math.Pi / 2)
	Write(c, 11, vg.Point{}, draw.XCenter, ch.Y+" (logarithmic, less is better)")
	c.Pop()
}

// plot has the curves in the order in which they end, slowest first, as the
// legend should list them.
func (ch Chart) plot() (*plot.Plot, plot.Legend, error) {
	p, legend := ch.axes(), newLegend()
	curves := slices.SortedStableFunc(slices.Values(ch.Curves), func(a, b Curve) int {
		return cmp.Compare(b.Points[len(b.Points)-1].Y, a.Points[len(a.Points)-1].Y)
	})
	for _, curve := range curves {
		line, points, err := plotter.NewLinePoints(curve.Points)
		if err != nil {
			return nil, legend, err
		}
		l := curve.Look
		line.Color, line.Width, line.Dashes = l.Color, l.Width, l.Dash
		points.Color, points.Shape, points.Radius = l.Color, l.Shape, vg.Points(3.2)
		p.Add(line, points)
		legend.Add(curve.Name, line, points)
	}
	pad(&p.X, 1.1)
	pad(&p.Y, 1.25)
	return p, legend, nil
}

func (ch Chart) axes() *plot.Plot {
	p := plot.New()
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans(10)
	}
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(decades), plot.TickerFunc(oneTwoFive)
	if ch.Ticks != nil {
		p.X.Tick.Marker = plot.ConstantTicks(ch.Ticks)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 215}, color.Gray{Y: 215}
	p.Add(grid)
	return p
}

func newLegend() plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font = sans(10)
	legend.ThumbnailWidth = vg.Points(28)
	legend.Padding = vg.Points(4)
	return legend
}

// pad widens a logarithmic axis by a factor on both sides.
func pad(a *plot.Axis, factor float64) {
	a.Min /= factor
	a.Max *= factor
}

func decades(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for v := math.Pow(10, math.Ceil(math.Log10(lo))); v <= hi*1.001; v *= 10 {
		ticks = append(ticks, plot.Tick{Value: v, Label: table.Power(int(v + 0.5))})
	}
	return ticks
}

func oneTwoFive(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if v := decade * step; v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.4g", v)})
			}
		}
	}
	return ticks
}
