// Package table writes what benchmarks measured as Markdown.
package table

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// Row writes a row of a Markdown table.
func Row(w io.Writer, columns ...string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(columns, " | "))
}

// Rule separates the head of a table; columns after the first are numbers.
func Rule(w io.Writer, columns int) {
	fmt.Fprintf(w, "|---|%s\n", strings.Repeat("---:|", columns-1))
}

// Times writes a ratio, a dash where there is none.
func Times(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return "–"
	}
	return Short(ratio) + "×"
}

// Short keeps two or three digits, as many as the measurement is worth.
func Short(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Power writes a size as 10⁷ or 5·10⁷ where it is one.
func Power(n int) string {
	exponent, lead := 0, n
	for lead >= 10 && lead%10 == 0 {
		lead /= 10
		exponent++
	}
	if exponent < 3 || lead >= 10 {
		return fmt.Sprint(n)
	}
	text := "10" + strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(exponent))
	if lead == 1 {
		return text
	}
	return fmt.Sprintf("%d·%s", lead, text)
}

// WriteFile makes a file of what write writes.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f) // its Flush returns the error of any write
	if err := write(out); err != nil {
		f.Close()
		return err
	}
	if err := out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
