module example.com/sorter/bench

go 1.25.0

replace example.com/sorter => ../

require (
	example.com/sorter v0.0.0
	github.com/bboreham/go-loser v0.0.0-20230920113527-fcc2c21820a3
	github.com/ebitengine/purego v0.9.1
	github.com/exascience/pargo v1.1.0
	github.com/jfcg/sorty/v2 v2.1.0
	gonum.org/v1/plot v0.15.2
)

require (
	codeberg.org/go-fonts/liberation v0.4.1 // indirect
	codeberg.org/go-latex/latex v0.0.1 // indirect
	codeberg.org/go-pdf/fpdf v0.10.0 // indirect
	git.sr.ht/~sbinet/gg v0.6.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/jfcg/sixb v1.3.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	golang.org/x/exp v0.0.0-20241009180824-f66d83c29e7c // indirect
	golang.org/x/image v0.24.0 // indirect
	golang.org/x/sys v0.40.0 // indirect
	golang.org/x/text v0.22.0 // indirect
)
