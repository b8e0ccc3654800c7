# Checks and measurements; see CONTRIBUTING.md.

.PHONY: engines test race lint fuzz soak bench cover cross cuda cudacpu cuda-toolchain kernels gpu-kit mutants

test:
	go test ./...

race:
	.ci/run race

lint:
	.ci/run format vet lint

fuzz:
	.ci/run fuzz

# Changes the library in small ways, one at a time, and counts the changes that no test notices. The results are
# those of a run; "mutants score" of several files takes the last verdict of each mutant.
MUTANTS := internal/sortkey internal/ties internal/presorted internal/presorted/bywords internal/selection internal/spill \
	internal/extract=300 internal/extract/column=200 internal/extract/texts=100 internal/pipeline=300 internal/pipeline/ranked=100 internal/cpu=300 internal/cpu/bucket=200 internal/cpu/loops=100 extsort=300
mutants: export GOWORK = off
mutants:
	cd mutants && go run . build -o ../.build/mutants -users internal/spill=extsort,internal/extract/column=internal/extract,internal/extract/texts=internal/extract,internal/pipeline=internal/pipeline/ranked,internal/cpu/bucket=internal/cpu,internal/cpu/loops=internal/cpu/bucket $(MUTANTS)
	cd mutants && go run . run -dir ../.build/mutants -o ../.build/mutants/results.txt -p $$(nproc)
	cd mutants && go run . score ../.build/mutants/results.txt

cover cross cuda:
	.ci/run $@

cudacpu:
	.ci/run cudacpu address thread

bench:
	cd bench && go run .

# What the module gpu/cu builds against: cuda.h and libcuda.so of CUDA 11.8, from
# Debian 12, component non-free. 0.8 GB to load.
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
cuda-toolchain:
	$(SUDO) apt-get update
	@apt-cache show nvidia-cuda-dev | grep -q '^Version' || \
		{ echo 'no package nvidia-cuda-dev: add non-free to the components in /etc/apt/sources.list.d'; exit 1; }
	$(SUDO) apt-get install --no-install-recommends -y nvidia-cuda-dev

# Rebuilds the modules of the GPU engine, byte for byte.
kernels:
	kernels/generate.sh

# What a GPU machine runs without Go: bench/gpu/run.sh there does the rest.
kit := .build/gpu-kit
gpu-kit: export CGO_ENABLED = 0
gpu-kit:
	mkdir -p $(kit)
	cd bench && go build -trimpath -o ../$(kit)/gpubench ./gpu
	cd bench && go build -trimpath -o ../$(kit)/papers ./papers
	go test -c -trimpath -o $(kit)/ ./gpu ./internal/gpu/... ./internal/cuda
	cp bench/gpu/cub.cu bench/gpu/cub_segments.cu bench/gpu/cub_topk*.cu bench/gpu/cub_columns.cu bench/gpu/run.sh $(kit)

# Draws calls of all verbs in a process for each processor, for the time given, and says how many
# pairs of what can be drawn occurred together.
SOAKTIME := 10m
soak:
	mkdir -p .build
	CGO_ENABLED=0 go test -c -ldflags '-s -w' -o .build/soak.test ./internal/conformance
	.build/soak.test -test.run '^TestDrawnSoak$$' -test.v -test.timeout 0 -drawn.shards -1 -drawn.for $(SOAKTIME) -drawn.missing

# Sorts on standalone clusters of Flink and Spark, which are started here, with parts of them killed. It takes
# Java 17, Maven and Python 3 with pip, loads 0.8 GB the first time, and needs 12 GB of memory.
engines: export GOWORK = off
engines:
	beam/engines/install.sh
	cd beam/engines && go run .
