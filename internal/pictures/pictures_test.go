package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/sorter/internal/engine"
)

const page, folder = "../../ALGORITHMS.md", "../../docs/algorithms"

// TestPictures compares the pictures drawn now with the committed ones.
func TestPictures(t *testing.T) {
	for name, draw := range pictures {
		svg := draw().svg()
		if !bytes.Equal(svg, draw().svg()) {
			t.Errorf("%s: drawn twice, in two ways", name)
		}
		committed, err := os.ReadFile(filepath.Join(folder, name+".svg"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(svg, committed) {
			t.Errorf("%s.svg is not what is drawn now: go generate ./internal/pictures", name)
		}
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, svg := strings.CutSuffix(f.Name(), ".svg"); !svg || pictures[name] == nil {
			t.Errorf("%s/%s is none of the pictures", folder, f.Name())
		}
	}
}

// TestTexts holds texts to the picture, apart from each other.
func TestTexts(t *testing.T) {
	for name, draw := range pictures {
		c := draw()
		for i, a := range c.texts {
			x0, y0, x1, y1 := a.box()
			if x0 < 2 || y0 < 2 || x1 > c.width-2 || y1 > c.height-2 {
				t.Errorf("%s: %q from %.0f, %.0f to %.0f, %.0f is not inside %.0f, %.0f", name, a.words, x0, y0, x1, y1, c.width, c.height)
			}
			for _, b := range c.texts[:i] {
				u0, v0, u1, v1 := b.box()
				if x0 < u1 && u0 < x1 && y0 < v1 && v0 < y1 {
					t.Errorf("%s: %q and %q overlap", name, a.words, b.words)
				}
			}
		}
	}
}

// TestLabels holds labels to the place beside the rows.
func TestLabels(t *testing.T) {
	for name, draw := range pictures {
		for _, a := range draw().texts {
			if _, _, end, _ := a.box(); a.left && a.x == margin && end > labelWidth-3 && name != "merge" {
				t.Errorf("%s: %q ends at %.0f", name, a.words, end)
			}
		}
	}
}

// TestPage looks for every algorithm and every picture on the page, and for the
// files that it leads to.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for a := engine.Auto; a < engine.Algorithms; a++ {
		if !bytes.Contains(text, []byte("\n## "+a.String()+"\n")) {
			t.Errorf("no section %v", a)
		}
	}
	for name := range pictures {
		if n := bytes.Count(text, []byte("(docs/algorithms/"+name+".svg)")); n != 1 {
			t.Errorf("%s.svg is shown %d times", name, n)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#]+)`).FindAllSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), string(link[1]))); err != nil {
			t.Error(err)
		}
	}
}

// TestSorted reads the last row of pictures that end with the codes in order.
func TestSorted(t *testing.T) {
	for _, name := range []string{"quick-merge", "merge-sort", "cpu-bucket", "radix", "sample-sort"} {
		var last []text
		for _, a := range pictures[name]().texts {
			switch {
			case a.left:
			case len(last) > 0 && a.y > last[0].y:
				last = []text{a}
			case len(last) == 0 || a.y == last[0].y:
				last = append(last, a)
			}
		}
		if len(last) != len(input) {
			t.Errorf("%s: %d codes in the last row", name, len(last))
		}
		for i := 1; i < len(last); i++ {
			if a, b := last[i-1], last[i]; a.x >= b.x || a.words > b.words {
				t.Errorf("%s: %s before %s", name, a.words, b.words)
			}
		}
	}
}
