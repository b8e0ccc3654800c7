package main

import (
	"math"
	"slices"
)

// panel is one table and its picture: contenders over an axis.
type panel struct {
	slug, title string
	axis        axis
	baseline    string             // the contender that ratios refer to; "": no ratios
	theirs      map[string]float64 // times in the paper, in ms, where it is a table
	note        string
	results     []result
}

// axis is the x axis of a panel.
type axis struct {
	name  string
	label func(x int) string
}

// panel begins a panel.
func (b *bench) panel(slug, title string, axis axis) *panel {
	p := &panel{slug: slug, title: title, axis: axis}
	b.panels = append(b.panels, p)
	return p
}

// named returns a panel; an empty one if that was not measured.
func (b *bench) named(slug string) *panel {
	if i := slices.IndexFunc(b.panels, func(p *panel) bool { return p.slug == slug }); i >= 0 {
		return b.panels[i]
	}
	return &panel{}
}

// places are where on the axis something was measured, ascending.
func (p *panel) places() []int {
	var places []int
	for _, r := range p.results {
		places = append(places, r.x)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// contenders in the order in which they came.
func (p *panel) contenders() (names []string) {
	for _, r := range p.results {
		if !slices.Contains(names, r.contender) {
			names = append(names, r.contender)
		}
	}
	return names
}

// at returns a result; measured is false where there is none or only a note.
func (p *panel) at(x int, contender string) (r result, measured bool) {
	i := slices.IndexFunc(p.results, func(r result) bool { return r.x == x && r.contender == contender })
	if i < 0 {
		return result{}, false
	}
	return p.results[i], p.results[i].note == ""
}

// last is at where the axis ends.
func (p *panel) last(contender string) (r result, measured bool) {
	places := p.places()
	if len(places) == 0 {
		return result{}, false
	}
	return p.at(places[len(places)-1], contender)
}

// ratio is how many times as long slow takes as fast; NaN where one is missing.
func (p *panel) ratio(x int, slow, fast string) float64 {
	s, ok := p.at(x, slow)
	f, also := p.at(x, fast)
	if !ok || !also {
		return math.NaN()
	}
	return s.median / f.median
}

// ratios are the smallest and the largest ratio over the axis, where there are any.
func (p *panel) ratios(slow, fast string) (least, most float64, measured bool) {
	least, most = math.Inf(1), 0
	for _, x := range p.places() {
		if r := p.ratio(x, slow, fast); !math.IsNaN(r) {
			least, most, measured = min(least, r), max(most, r), true
		}
	}
	return least, most, measured
}

// parts makes a panel of the stages of one contender's sorts, in the order of the
// longest list, which has all of them.
func (b *bench) parts(of *panel, contender, slug, title string) {
	p := &panel{slug: slug, title: title, axis: of.axis}
	for _, x := range slices.Backward(of.places()) {
		all, measured := of.at(x, contender)
		if !measured {
			continue
		}
		for _, part := range all.parts {
			p.results = append(p.results, result{x: x, n: all.n, contender: part.name, reps: all.reps, median: part.time, least: math.NaN(), most: math.NaN()})
		}
		all.contender, all.parts = whole, nil
		p.results = append(p.results, all)
	}
	if len(p.results) > 0 {
		b.panels = append(b.panels, p)
	}
}
