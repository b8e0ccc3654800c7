package main

import "fmt"

// network draws the bitonic network over the wires of some tiles, and the passes
// over memory that its steps are taken in.
func network(title string, wires, tile int) *canvas {
	const pitch, step, between = 18.0, 13.0, 12.0
	const tileTone, betweenTone = 0, 2
	c := &canvas{title: title}
	top := margin + headHeight + 8
	wireAt := func(i int) float64 { return top + pitch*(float64(i)+0.5) }
	x, pass := margin+52, 0
	band := func(tone int, draw func()) {
		from := x
		x += between
		var shapes = c.shapes.Len()
		draw()
		behind := append([]byte(nil), c.shapes.Bytes()[shapes:]...)
		c.shapes.Truncate(shapes)
		pass++
		c.rect(fmt.Sprintf("g%d", tone), from, margin, x-from, top-margin+pitch*float64(wires)+4)
		c.write((from+x)/2, margin+headHeight/2, fmt.Sprint(pass))
		c.shapes.Write(behind)
		x += between
	}
	// compare draws a step: comparators that would cover each other come side by side.
	compare := func(partner func(i int) int) {
		lanes := [][2]int{} // the last wires that each upright lane of this step covers
		from := x
		for i := range wires {
			k := partner(i)
			if k <= i {
				continue
			}
			lane := 0
			for lane < len(lanes) && lanes[lane][1] >= i {
				lane++
			}
			if lane == len(lanes) {
				lanes = append(lanes, [2]int{})
			}
			lanes[lane][1] = k
			at := from + step*float64(lane)
			c.line("wire", at, wireAt(i), at, wireAt(k))
			c.dot(at, wireAt(i))
			c.dot(at, wireAt(k))
		}
		x = from + step*float64(len(lanes)-1) + between
	}
	fold := func(run int) { compare(func(i int) int { return i ^ (run - 1) }) }
	halves := func(from, to int) {
		for d := from; d >= to; d /= 2 {
			compare(func(i int) int { return i ^ d })
		}
	}
	band(tileTone, func() {
		for run := 2; run <= tile; run *= 2 {
			fold(run)
			halves(run/4, 1)
		}
	})
	for run := 2 * tile; run <= wires; run *= 2 {
		band(betweenTone, func() { fold(run); halves(run/4, tile) })
		band(tileTone, func() { halves(tile/2, 1) })
	}
	for i := range wires {
		c.line("grid", margin+46, wireAt(i), x, wireAt(i))
	}
	for i := 0; i < wires; i += tile {
		c.writeLeft(margin, top+pitch*(float64(i)+float64(tile)/2), fmt.Sprintf("tile %d", i/tile))
	}
	y := top + pitch*float64(wires) + 22
	c.rect(fmt.Sprintf("g%d", tileTone), margin+46, y-7, 14, 14)
	c.writeLeft(margin+68, y, "a pass inside tiles, in fast memory")
	y += 22
	c.rect(fmt.Sprintf("g%d", betweenTone), margin+46, y-7, 14, 14)
	c.writeLeft(margin+68, y, "a pass between tiles, whose blocks hold rows of adjacent elements")
	c.width, c.height = max(x+margin, 560), y+7+margin
	return c
}

// span is what somebody does from a time on.
type span struct {
	from, to float64
	words    string
	tone     int
}

// lane is what one of those who work at the same time does.
type lane struct {
	name  string
	spans []span
}

// timeline draws who does what when.
func timeline(title string, unit float64, lanes ...lane) *canvas {
	const height, gap = 28.0, 14.0
	c := &canvas{title: title, width: pageWidth}
	y := margin
	for _, l := range lanes {
		c.writeLeft(margin, y+height/2, l.name)
		for _, s := range l.spans {
			x0, x1 := labelWidth+unit*s.from, labelWidth+unit*s.to
			c.rect(fmt.Sprintf("g%d", s.tone), x0, y, x1-x0, height)
			c.write((x0+x1)/2, y+height/2, s.words)
		}
		y += height + gap
	}
	c.line("grid", labelWidth, y, pageWidth-margin-46, y)
	c.writeLeft(pageWidth-margin-40, y, "time")
	c.height = y + margin
	return c
}

// mergePath draws two sorted lists along the edges of a grid, and the path that
// merging them takes, cut into equal parts by diagonals.
func mergePath(title string, a, b []int, parts int) *canvas {
	const pitch, reach = 30.0, 26.0
	c := &canvas{title: title}
	left, top := margin+60, margin+46.0
	c.write(left+pitch*float64(len(a))/2, margin+6, "first list")
	c.writeLeft(margin, top-13, "second")
	for i, v := range a {
		c.write(left+pitch*(float64(i)+0.5), top-13, fmt.Sprintf("%02d", v))
		c.line("grid", left+pitch*float64(i), top, left+pitch*float64(i), top+pitch*float64(len(b)))
	}
	for j, v := range b {
		c.write(left-20, top+pitch*(float64(j)+0.5), fmt.Sprintf("%02d", v))
		c.line("grid", left, top+pitch*float64(j), left+pitch*float64(len(a)), top+pitch*float64(j))
	}
	c.rect("grid", left, top, pitch*float64(len(a)), pitch*float64(len(b)))
	n := len(a) + len(b)
	i, j := 0, 0
	cuts := []int{}
	for k := 0; k <= n; k++ {
		if k > 0 && k < n && k*parts/n != (k-1)*parts/n {
			x, y := left+pitch*float64(i), top+pitch*float64(j)
			c.line("l2", x-reach, y+reach, x+reach, y-reach)
			c.dot(x, y)
			cuts = append(cuts, i)
		}
		if k == n {
			break
		}
		x, y := left+pitch*float64(i), top+pitch*float64(j)
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			i++
		} else {
			j++
		}
		c.line("path", x, y, left+pitch*float64(i), top+pitch*float64(j))
	}
	text := []string{"A step right takes an element of the first", "list, a step down one of the second.", "",
		fmt.Sprintf("Diagonals cut the path into %d equal parts.", parts), "Each is found by itself, by binary search,", "and merged by a block or a worker of its own.", ""}
	before := 0
	for p, cut := range append(cuts, len(a)) {
		text = append(text, fmt.Sprintf("part %d: %d of the first, %d of the second", p, cut-before, n/parts-(cut-before)))
		before = cut
	}
	for l, words := range text {
		c.writeLeft(left+pitch*float64(len(a))+56, top+8+float64(l)*20, words)
	}
	c.width, c.height = pageWidth, top+pitch*float64(len(b))+margin
	return c
}
