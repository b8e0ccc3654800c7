package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	pictureWidth  = 9 * vg.Inch
	pictureHeight = 5.5 * vg.Inch
	legendWidth   = 2.1 * vg.Inch // beside the lines, so that it covers none
	axisLabel     = 18            // room for the label of an axis
	pixelsPerInch = 110
)

// look is how a contender is drawn, the same in every picture: ours thick,
// the standard library black and grey, what is composed of a peer dashed in
// the peer's colour.
type look struct {
	color color.RGBA
	width vg.Length
	dash  []vg.Length
	shape draw.GlyphDrawer
}

var dashed = []vg.Length{vg.Points(5), vg.Points(3)}

// The colours are those of Okabe and Ito, which the colour-blind can tell apart.
var looks = map[string]look{
	ours:           {rgb(0xd55e00), 3, nil, draw.CircleGlyph{}},
	oursSerial:     {rgb(0xd55e00), 1.8, dashed, draw.CircleGlyph{}},
	slicesSort:     {rgb(0x000000), 1.6, nil, draw.SquareGlyph{}},
	sortFunc:       {rgb(0x000000), 1.6, nil, draw.SquareGlyph{}},
	sortStableFunc: {rgb(0x000000), 1.6, nil, draw.SquareGlyph{}},
	sortSlice:      {rgb(0x888888), 1.6, nil, draw.BoxGlyph{}},
	sortyName:      {rgb(0x0072b2), 1.6, nil, draw.TriangleGlyph{}},
	pargoName:      {rgb(0x009e73), 1.6, nil, draw.PyramidGlyph{}},
	zermeloName:    {rgb(0xcc79a7), 1.6, nil, draw.PlusGlyph{}},
	sortsName:      {rgb(0xe69f00), 1.6, nil, draw.CrossGlyph{}},
	heapName:       {rgb(0x56b4e9), 1.6, nil, draw.RingGlyph{}},
	composedName:   {rgb(0xcc79a7), 1.6, dashed, draw.PlusGlyph{}},
	composedSorty:  {rgb(0x0072b2), 1.6, dashed, draw.TriangleGlyph{}},
	composedSorts:  {rgb(0xe69f00), 1.6, dashed, draw.CrossGlyph{}},
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// draw writes a picture for every case and one of all ratios.
func (r *report) draw(folder string) error {
	for _, c := range r.cases() {
		p, legend, err := r.lines(c, r.Dists[0])
		if err != nil {
			return err
		}
		picture := func(canvas draw.Canvas) {
			r.beside(canvas, p, legend, fmt.Sprintf("%s, %s", c.Name, r.Dists[0]))
		}
		if err := save(filepath.Join(folder, c.Slug), pictureHeight, picture); err != nil {
			return err
		}
	}
	if len(r.Dists) == 1 {
		return nil
	}
	height := leadsMargin + leadHeight*vg.Length(len(r.cases()))
	return save(filepath.Join(folder, "leads"), height, r.leads)
}

// save draws a picture as SVG and as PNG.
func save(path string, height vg.Length, picture func(draw.Canvas)) error {
	svg := vgsvg.New(pictureWidth, height)
	picture(draw.New(svg))
	png := vgimg.NewWith(vgimg.UseWH(pictureWidth, height), vgimg.UseDPI(pixelsPerInch))
	picture(draw.New(png))
	for suffix, canvas := range map[string]vg.CanvasWriterTo{".svg": svg, ".png": vgimg.PngCanvas{Canvas: png}} {
		f, err := os.Create(path + suffix)
		if err != nil {
			return err
		}
		if _, err := canvas.WriteTo(f); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// beside draws a plot under its title, with its legend to the right of it. It
// writes the labels of the axes itself: the plot would reserve room for them
// as if they stood at the logarithm of the middle.
func (r *report) beside(c draw.Canvas, p *plot.Plot, legend plot.Legend, title string) {
	c = r.titled(c, title)
	lines := draw.Crop(c, axisLabel, -legendWidth, axisLabel, 0)
	p.Draw(lines)
	legend.Draw(draw.Crop(c, c.Size().X-legendWidth+8, 0, 0, 0))
	middle := lines.Center()
	write(c, 11, vg.Point{X: middle.X, Y: c.Min.Y + 6}, draw.XCenter, "elements, n (logarithmic)")
	c.Push()
	c.Translate(vg.Point{X: c.Min.X + 6, Y: middle.Y})
	c.Rotate(math.Pi / 2)
	write(c, 11, vg.Point{}, draw.XCenter, "ns per element (logarithmic, less is better)")
	c.Pop()
}

// titled clears the canvas, writes the title and where the picture was
// measured, and returns what is left.
func (r *report) titled(c draw.Canvas, title string) draw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 10, -10, 10, -10)
	write(c, 13, vg.Point{X: c.Center().X, Y: c.Max.Y - 7}, draw.XCenter, title)
	m := r.Machine
	write(c, 9, vg.Point{X: c.Center().X, Y: c.Max.Y - 24}, draw.XCenter,
		fmt.Sprintf("%s, %d cores, %s, %s", m.CPU, m.Cores, m.Go, m.Date))
	return draw.Crop(c, 0, 0, 0, -42)
}

// write puts a line of text with its vertical middle at a point.
func write(c draw.Canvas, size float64, at vg.Point, align text.XAlignment, s string) {
	c.FillText(text.Style{
		Color: color.Black, Font: sans(size), XAlign: align, YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler,
	}, at, s)
}

// lines plots ns per element over n, a line for each contender.
func (r *report) lines(c benchCase, d string) (*plot.Plot, plot.Legend, error) {
	p := newPlot()
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(decades), plot.TickerFunc(oneTwoFive)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 215}, color.Gray{Y: 215}
	p.Add(grid)
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font = sans(10)
	legend.ThumbnailWidth = vg.Points(28)
	legend.Padding = vg.Points(4)
	for _, curve := range r.curves(c.Name, d) {
		line, points, err := plotter.NewLinePoints(curve.points)
		if err != nil {
			return nil, legend, err
		}
		l := looks[curve.name]
		line.Color, line.Width, line.Dashes = l.color, l.width, l.dash
		points.Color, points.Shape, points.Radius = l.color, l.shape, vg.Points(3.2)
		p.Add(line, points)
		legend.Add(curve.name, line, points)
	}
	pad(&p.X, 1.1)
	pad(&p.Y, 1.25)
	return p, legend, nil
}

// curve is a contender's times over n.
type curve struct {
	name   string
	points plotter.XYs
}

// curves come in the order in which they end, slowest first, as the legend
// should list them.
func (r *report) curves(c, d string) []curve {
	var curves []curve
	for _, x := range r.Results {
		if x.Case != c || x.Dist != d || x.Note != "" {
			continue
		}
		i := slices.IndexFunc(curves, func(c curve) bool { return c.name == x.Contender })
		if i < 0 {
			i = len(curves)
			curves = append(curves, curve{name: x.Contender})
		}
		curves[i].points = append(curves[i].points, plotter.XY{X: float64(x.N), Y: x.Median})
	}
	slices.SortStableFunc(curves, func(a, b curve) int {
		return cmp.Compare(b.points[len(b.points)-1].Y, a.points[len(a.points)-1].Y)
	})
	return curves
}

func newPlot() *plot.Plot {
	p := plot.New()
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans(10)
	}
	return p
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
}

// pad widens a logarithmic axis by a factor on both sides.
func pad(a *plot.Axis, factor float64) {
	a.Min /= factor
	a.Max *= factor
}

func decades(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for v := math.Pow(10, math.Ceil(math.Log10(lo))); v <= hi*1.001; v *= 10 {
		ticks = append(ticks, plot.Tick{Value: v, Label: power(int(v + 0.5))})
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
