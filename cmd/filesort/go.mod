module example.com/sorter/cmd/filesort

go 1.25.0

require (
	example.com/sorter v0.0.0
	github.com/klauspost/compress v1.20.3
	github.com/schollz/progressbar/v3 v3.18.0
	golang.org/x/term v0.28.0
)

require github.com/ncruces/go-strftime v1.1.0

require (
	example.com/sorter/collation v0.0.0
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56 // indirect
	golang.org/x/sys v0.40.0 // indirect
	golang.org/x/text v0.41.0
)

replace example.com/sorter => ../..

replace example.com/sorter/collation => ../../collation
