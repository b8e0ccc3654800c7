#!/usr/bin/env bash
# Builds the peer with this machine's nvcc and runs the comparison.
set -euo pipefail
cd "$(dirname "$0")"
nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC -o libcub.so cub.cu
./gpubench "$@"
