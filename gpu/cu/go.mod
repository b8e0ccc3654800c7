module example.com/sorter/gpu/cu

go 1.25.0

require (
	example.com/sorter v0.0.0
	gorgonia.org/cu v0.9.6
)

require (
	github.com/ebitengine/purego v0.9.1 // indirect
	github.com/google/uuid v1.1.1 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56 // indirect
)

replace example.com/sorter => ../..
