#!/usr/bin/env bash
# Everything that is to be known about a GPU machine, in under 40 minutes and
# without Go: tests, checks, tables, the papers' figures, and compute-sanitizer. It runs in the folder
# that "make gpu-kit" filled and writes to $OUT, or else to results/ there.
#
#   run.sh                     all steps
#   run.sh tests table         these steps
#   GPUBENCH_TABLE='-n 28' run.sh table    with other flags for the table
set -uo pipefail
mkdir -p "${OUT:=$(dirname "$0")/results}"
export OUT=$(cd "$OUT" && pwd)
cd "$(dirname "$0")"
steps=(machine tests check longest peer table keys segments selection within columns hostrows e2e several spread auto first capped papers memcheck racecheck initcheck synccheck)

machine() {
  nvidia-smi
  nproc
  free -g
  { nvcc --version || true; compute-sanitizer --version || true; } 2>&1
}

tests() { # those that need no sources; here none may be skipped
  {
    ./cuda.test -test.v -test.run '^TestDevice(Errors)?$' || exit
    for t in *.test; do
      [[ $t == cuda.test ]] || "./$t" -test.v || exit
    done
  } | awk '{ print } /--- SKIP/ { skipped = 1 } END { exit skipped }'
}

check() { ./gpubench -check ${GPUBENCH_CHECK-}; }

longest() { ./gpubench -longest; } # what 31 bits do not count

peer() { # CUB, by this machine's nvcc: the toolkit's, or that of a folder of headers, CCCL
  nvcc ${CCCL:+-I$CCCL} -std=c++17 -O3 -arch=native -t 0 -shared -Xcompiler -fPIC -o libcub.so cub.cu cub_segments.cu cub_topk.cu cub_topk_within.cu cub_topk_within_u64.cu cub_columns.cu
}

table() { ./gpubench ${GPUBENCH_TABLE-}; }

keys() { ./gpubench -keys ${GPUBENCH_KEYS-}; }

segments() { # sorts of segments: orders, then keys
  ./gpubench -segments -n 24,26 -dists uniform ${GPUBENCH_SEGMENTS-} && ./gpubench -segments -keys -n 24,26 -dists uniform ${GPUBENCH_SEGMENTS-}
}

selection() { ./gpubench -selection ${GPUBENCH_SELECTION-}; } # the lowest codes, and medians

within() { # the lowest codes of each segment
  ./gpubench -within -n 28 -k 64,1024 -dists "uniform,zipf,16 values,flat,sorted,reversed,float prices" ${GPUBENCH_WITHIN-}
}

columns() { ./gpubench -columns -reps 5 ${GPUBENCH_COLUMNS-}; } # rows by columns

hostrows() { ./gpubench -host-rows -host-rows-n 1000000,10000000 ${GPUBENCH_HOSTROWS-}; } # rows of the host by columns and texts

e2e() { ./gpubench -e2e ${GPUBENCH_E2E-}; }

several() { # what all devices share, beside the first alone: right, and how fast; then e2e with all
  [[ $(nvidia-smi -L | wc -l) -gt 1 ]] || { echo 'one device'; return; }
  ./gpubench -several -devices all ${GPUBENCH_SEVERAL-} && ./gpubench -e2e -devices all -peers 0 ${GPUBENCH_E2E-}
}

spread() { # lists that lie in parts on all devices, beside one part on one
  [[ $(nvidia-smi -L | wc -l) -gt 1 ]] || { echo 'one device'; return; }
  ./gpubench -spread -devices all ${GPUBENCH_SPREAD-}
}

capped() { ./gpubench -capped $((4 << 30)) ${GPUBENCH_CAPPED-}; }

first() { ./gpubench -first ${GPUBENCH_FIRST-}; } # the sorts of fresh processes

auto() { ./gpubench -auto ${GPUBENCH_AUTO-}; } # the planner, for keys that programs have

# Sorts on one core take most of the time: once each.
papers() { ./papers -out "$OUT/papers" -spend 500ms ${GPUBENCH_PAPERS-}; }

# The tools run a hundred times slower: one check of many, and fewer still
# where every access to shared memory is followed.
sanitize() { compute-sanitizer --tool "$1" --error-exitcode 9 "${@:4}" ./gpubench -check -most "$2" -every "$3"; }
memcheck() { sanitize memcheck 70000 60 --leak-check no; }
racecheck() { sanitize racecheck 9000 90; }
initcheck() { sanitize initcheck 70000 60; }
synccheck() { sanitize synccheck 70000 60; }

# A step that hangs must not take the others' time.
declare -A limit=([machine]=20 [tests]=240 [check]=420 [longest]=150 [peer]=150 [table]=400 [keys]=400 [segments]=240 [selection]=200 [within]=200 [columns]=240 [hostrows]=300 [e2e]=250 [several]=340 [spread]=200 [auto]=600 [first]=60 [capped]=150 [papers]=300 [memcheck]=30 [racecheck]=60 [initcheck]=30 [synccheck]=30)

if [[ ${1-} == -one ]]; then
  "$2"
  exit
fi
(($#)) || set -- "${steps[@]}"
for step; do
  start=$SECONDS
  timeout "${limit[$step]}" bash ./run.sh -one "$step" >"$OUT/$step.txt" 2>&1
  code=$?
  printf '%-10s %4d s  exit %d\n' "$step" $((SECONDS - start)) $code
done | tee "$OUT/summary.txt"
grep -q 'exit [^0]' "$OUT/summary.txt" && exit 1
exit 0
