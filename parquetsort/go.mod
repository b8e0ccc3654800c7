module example.com/sorter/parquetsort

go 1.25.0

require (
	example.com/sorter v0.0.0
	github.com/parquet-go/parquet-go v0.32.0
)

require (
	github.com/klauspost/compress v1.20.3
	github.com/pierrec/lz4/v4 v4.1.21
)

require (
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56 // indirect
	golang.org/x/sys v0.40.0 // indirect
	google.golang.org/protobuf v1.34.2 // indirect
)

replace example.com/sorter => ../
