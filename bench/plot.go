package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"example.com/sorter/bench/internal/picture"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// looks are how contenders are drawn: ours thick, the standard library black and
// grey, what is composed of a peer dashed in the peer's colour. The colours are
// those of Okabe and Ito, which the colour-blind can tell apart.
var looks = map[string]picture.Look{
	ours:           look(0xd55e00, 3, nil, draw.CircleGlyph{}),
	oursSerial:     look(0xd55e00, 1.8, picture.Dashed, draw.CircleGlyph{}),
	slicesSort:     look(0x000000, 1.6, nil, draw.SquareGlyph{}),
	sortFunc:       look(0x000000, 1.6, nil, draw.SquareGlyph{}),
	sortStableFunc: look(0x000000, 1.6, nil, draw.SquareGlyph{}),
	sortSlice:      look(0x888888, 1.6, nil, draw.BoxGlyph{}),
	sortyName:      look(0x0072b2, 1.6, nil, draw.TriangleGlyph{}),
	pargoName:      look(0x009e73, 1.6, nil, draw.PyramidGlyph{}),
	pargoStable:    look(0x009e73, 1.6, picture.Dashed, draw.PyramidGlyph{}),
	zermeloName:    look(0xcc79a7, 1.6, nil, draw.PlusGlyph{}),
	sortsName:      look(0xe69f00, 1.6, nil, draw.CrossGlyph{}),
	heapName:       look(0x56b4e9, 1.6, nil, draw.RingGlyph{}),
	topByName:      look(0x0072b2, 1.6, picture.Dashed, draw.CircleGlyph{}),
	heapByName:     look(0x56b4e9, 1.6, picture.Dashed, draw.RingGlyph{}),
	composedName:   look(0xcc79a7, 1.6, picture.Dashed, draw.PlusGlyph{}),
	composedSorty:  look(0x0072b2, 1.6, picture.Dashed, draw.TriangleGlyph{}),
	composedSorts:  look(0xe69f00, 1.6, picture.Dashed, draw.CrossGlyph{}),
}

func look(color uint32, width vg.Length, dash []vg.Length, shape draw.GlyphDrawer) picture.Look {
	return picture.Look{Color: picture.RGB(color), Width: width, Dash: dash, Shape: shape}
}

// draw writes a picture for every case and one of all ratios.
func (r *report) draw(folder string) error {
	for _, c := range r.cases() {
		chart := picture.Chart{
			Title: fmt.Sprintf("%s, %s", c.Name, r.Dists[0]), Below: r.Machine.String(),
			X: "elements, n", Y: "ns per element",
			Curves: r.curves(c.Name, r.Dists[0]),
		}
		if err := chart.Save(filepath.Join(folder, c.Slug)); err != nil {
			return err
		}
	}
	if len(r.Dists) == 1 {
		return nil
	}
	height := leadsMargin + leadHeight*vg.Length(len(r.cases()))
	return picture.Save(filepath.Join(folder, "leads"), height, r.leads)
}

// curves are ns per element over n, one of each contender.
func (r *report) curves(c, d string) []picture.Curve {
	var curves []picture.Curve
	for _, x := range r.Results {
		if x.Case != c || x.Dist != d || x.Note != "" {
			continue
		}
		i := slices.IndexFunc(curves, func(c picture.Curve) bool { return c.Name == x.Contender })
		if i < 0 {
			i = len(curves)
			curves = append(curves, picture.Curve{Name: x.Contender, Look: looks[x.Contender]})
		}
		curves[i].Points = append(curves[i].Points, plotter.XY{X: float64(x.N), Y: x.Median})
	}
	return curves
}
