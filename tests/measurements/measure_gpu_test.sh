#!/usr/bin/env bash
# Measures the products of a network on this processor by tools/measure_gpu.py, and imports the times.
# Skipped (77) without Python and PyTorch.
#   measure_gpu_test.sh WEFT SCRIPT
set -euo pipefail
weft=$1
script=$2
export CUDA_VISIBLE_DEVICES=

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

fail() {
  echo "$1"
  exit 1
}

# refused MESSAGE ARGUMENTS...: one line with the message, before anything is measured.
refused() {
  local message=$1
  shift
  if python3 "$script" 8x9x10 "$@" 2>text; then fail "$* is accepted"; fi
  [ "$(cat text)" = "measure_gpu.py: $message" ] || fail "$(cat text), not $message"
}

if command -v python3 >python3.path; then
  refused '--csv none/gpu.csv: there is no folder none' --csv none/gpu.csv
  refused '--csv .: is a folder; name a file' --csv .
  refused '--csv /dev/null: is no regular file' --csv /dev/null
  refused '--trace none/t.json: there is no folder none' --csv gpu.csv --trace none/t.json
  refused './gpu.csv: named by both --csv and --trace; choose two files' --csv ./gpu.csv --trace gpu.csv
  [ ! -e gpu.csv ] || fail "a file was written"
fi

# Debian's PyTorch belongs to /usr/bin/python3, which need not be the first python3.
python=
for each in python3 /usr/bin/python3; do
  if "$each" -c 'import torch' 2>/dev/null; then python=$each; fi
done
if [ -z "$python" ]; then
  echo "skipped: no Python with PyTorch"
  exit 77
fi

"$weft" compare lenet5 --with tiny --quiet --json lenet5.json
"$python" "$script" --from lenet5.json --device cpu --groups 3 --csv lenet5.csv --trace trace.json
"$weft" compare lenet5 --with tiny --measured lenet5.csv >text
grep -q '5 of 5 products, with 100.0 % of the FLOP' text || fail "not all layers match"
grep -q '100.0 % of its' text || fail "not all time matches"
# The profiler's trace is read; PyTorch without Kineto, as Debian's, writes no shapes.
"$weft" compare lenet5 --with tiny --measured trace.json >text 2>&1 ||
  grep -q 'record_shapes' text || fail "the trace is not read"

"$python" "$script" 8x9x10 '3*4x5x6' --device cpu --groups 3 --csv products.csv
"$weft" compare matmul 8 9 10 --with tiny --measured products.csv >text
grep -q 'not matched: 3\*4x5x6' text || fail "the batch is not listed"
for wrong in 8x9 0x1x1 8x9x10x11; do
  if "$python" "$script" "$wrong" --csv wrong.csv 2>text; then fail "$wrong is accepted"; fi
  [ "$(wc -l <text)" -eq 1 ] || fail "not one line about $wrong"
done
[ ! -e wrong.csv ] || fail "a file was written"
