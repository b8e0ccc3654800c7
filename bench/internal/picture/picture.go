// Package picture draws what benchmarks measured, as SVG and as PNG.
package picture

import (
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	width         = 9 * vg.Inch
	pixelsPerInch = 110
)

// Save draws a picture of a height as path.svg and as path.png.
func Save(path string, height vg.Length, picture func(draw.Canvas)) error {
	svg := vgsvg.New(width, height)
	picture(draw.New(svg))
	png := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pixelsPerInch))
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

// Titled clears the canvas, writes a title and a line below it, such as where the
// picture was measured, and returns what is left.
func Titled(c draw.Canvas, title, below string) draw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 10, -10, 10, -10)
	Write(c, 13, vg.Point{X: c.Center().X, Y: c.Max.Y - 7}, draw.XCenter, title)
	Write(c, 9, vg.Point{X: c.Center().X, Y: c.Max.Y - 24}, draw.XCenter, below)
	return draw.Crop(c, 0, 0, 0, -42)
}

// Write puts a line of text with its vertical middle at a point.
func Write(c draw.Canvas, size float64, at vg.Point, align text.XAlignment, s string) {
	c.FillText(text.Style{
		Color: color.Black, Font: sans(size), XAlign: align, YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler,
	}, at, s)
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
}

// RGB is a colour of eight bits each.
func RGB(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}
