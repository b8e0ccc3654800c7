module example.com/sorter

go 1.25.0

require (
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/ebitengine/purego v0.9.1
	github.com/google/go-cmp v0.7.0
	github.com/klauspost/compress v1.20.3
	golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56
	golang.org/x/sys v0.40.0
)
