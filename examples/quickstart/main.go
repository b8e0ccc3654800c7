// Command quickstart sorts five million trades by price, with
// sorter.Sort and with slices.SortFunc, and compares times and results.
//
// The first call of sorter.Sort is timed by itself. Then both take five turns.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"

	"example.com/sorter"
)

// Trade is 24 bytes.
type Trade struct {
	ID     uint64
	Symbol [8]byte
	Price  float32
	Size   uint32
}

func price(t Trade) float32 { return t.Price }

func main() {
	n := flag.Int("n", 5_000_000, "how many trades")
	flag.Parse()
	trades := makeTrades(*n)

	load := loadAverage() // of other programs: before this one adds to it

	var stats sorter.Stats
	ours := contender{"sorter.Sort", func(trades []Trade) {
		if err := sorter.Sort(trades, price, sorter.Report(&stats)); err != nil {
			log.Fatal(err)
		}
	}}
	std := contender{"slices.SortFunc", func(trades []Trade) {
		slices.SortFunc(trades, func(a, b Trade) int { return cmp.Compare(a.Price, b.Price) })
	}}
	sorted := slices.Clone(trades)
	first := stopwatch(ours, sorted)
	show(sorted)
	later, others := alternate(ours, std, trades)

	fmt.Printf("\n%v\n", &stats)
	report(first, later, others)
	fmt.Printf("\n%d processors%s\n", runtime.GOMAXPROCS(0), load)
}

// makeTrades returns the same trades every time. Prices are whole cents, so
// there are many ties.
func makeTrades(n int) []Trade {
	symbols := [...]string{"ALPH", "BETA", "GAMM", "DELT", "EPSI"}
	trades := make([]Trade, n)
	random := uint64(42)
	for i := range trades {
		random = random*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		t := &trades[i]
		t.ID = uint64(i) + 1
		copy(t.Symbol[:], symbols[random>>33%5])
		t.Price = float32(100+random>>40%9_999_900) / 100
		t.Size = uint32(1 + random>>20%1000)
	}
	return trades
}

// agree checks that a and b have the same trades in the same order by price.
// Neither sort was asked to be stable, so trades of one price may come in any
// order: each run of a price must hold the same ones.
func agree(a, b []Trade) error {
	at := 0
	for run := range sorter.Groups(a, price) {
		other := b[at : at+len(run)]
		var sum, otherSum uint64
		for i := range run {
			if other[i].Price != run[0].Price {
				return fmt.Errorf("place %d: price %.2f here, %.2f there", at+i, run[0].Price, other[i].Price)
			}
			sum += fingerprint(run[i])
			otherSum += fingerprint(other[i])
		}
		if sum != otherSum {
			return fmt.Errorf("price %.2f: not the same trades", run[0].Price)
		}
		at += len(run)
	}
	return nil
}

// fingerprint mixes the bits of a trade, so that sums of different sets of
// trades differ.
func fingerprint(t Trade) uint64 {
	h := t.ID ^ uint64(t.Size)<<40
	for _, c := range t.Symbol {
		h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
	}
	return h ^ h>>29
}

// show prints the first and the last rows.
func show(trades []Trade) {
	const few = 3
	fmt.Printf("%d trades by price\n\n%10s  %-6s  %6s  %9s\n", len(trades), "trade", "symbol", "size", "price")
	for i, t := range trades {
		if i < few || i >= len(trades)-few {
			fmt.Printf("%10d  %-6s  %6d  %9.2f\n", t.ID, t.Symbol[:4], t.Size, t.Price)
		} else if i == few {
			fmt.Printf("%10s\n", "…")
		}
	}
}
