#!/usr/bin/env bash
# Reads rtl/ with three tools and fails if one of them prints anything.
#   rtl/lint/lint.sh [all|verilator|iverilog|yosys] [RTL_DIR]
# Checks each module as the top module, with its default parameters and with the variants below. They
# have empty loops, counts that are not powers of two, and all number formats. RTL_DIR: a copy to check.
set -euo pipefail

tools="${1:-all}"
# The tools run in the folder, because they cannot read files whose path has a space.
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/..}"

variants='
delay Depth=0
delay Depth=3 Width=5
skew Lanes=1
skew Lanes=7 Width=9
deskew Lanes=1
deskew Lanes=5 Width=3
widen_binary32 ExponentWidth=8
pe_float ExponentWidth=5
pe_int8 PsumWidth=20
accumulator Depth=1 Cols=1
accumulator Depth=5 Cols=3
accumulator Depth=5 Cols=2 ExponentWidth=8
mxu Rows=1 Cols=1
mxu Rows=3 Cols=5
mxu Rows=7 Cols=2
mxu Rows=1 Cols=1 ElementWidth=16 ExponentWidth=8
mxu Rows=3 Cols=5 ElementWidth=16 ExponentWidth=8
mxu Rows=2 Cols=1 ElementWidth=16 ExponentWidth=5
mxu Rows=7 Cols=2 ElementWidth=16 ExponentWidth=5
matmul_datapath Rows=1 Cols=1 Depth=1
matmul_datapath Rows=3 Cols=5 Depth=6
matmul_datapath Rows=7 Cols=2 ElementWidth=16 ExponentWidth=8 Depth=9
matmul_datapath Rows=2 Cols=3 ElementWidth=16 ExponentWidth=5
mxu_serial Rows=3 Cols=5
'

# Packages come first, because they must be known where they are used.
packages=(*_pkg.sv)
shopt -s nullglob
declare -A file_of
for file in *.sv synth/*.sv; do
  if [[ "$file" != *_pkg.sv ]]; then file_of["$(basename "$file" .sv)"]="$file"; fi
done
modules=("${file_of[@]}")

lint_verilator() {
  local top="$1"
  shift
  verilator --lint-only -Wall --assert --top-module "$top" "${@/#/-G}" verilator.vlt \
    "${packages[@]}" -y . "${file_of[$top]}"
}

lint_iverilog() {
  local top="$1"
  shift
  iverilog -g2012 -Wall -t null -s "$top" "${@/#/-P$top.}" "${packages[@]}" "${modules[@]}"
}

# Checks what synthesis and proofs need: every wire has one driver, and none is part of a loop.
lint_yosys() {
  local top="$1" parameter changes=""
  shift
  for parameter in "$@"; do changes+=" -chparam ${parameter/=/ }"; done
  yosys -q -e '.' -p "read_verilog -sv ${packages[*]} ${modules[*]}
    hierarchy -check -top $top$changes; proc; check -assert"
}

failures=0

# check TOOL TOP PARAMETER...: counts a failure unless the tool is silent and successful.
check() {
  local tool="$1" output status=0
  shift
  output="$("lint_$tool" "$@" 2>&1)" || status=$?
  if [[ $status -eq 0 && -z "$output" ]]; then return 0; fi
  printf '%s: %s (exit code %d)\n%s\n' "$tool" "$*" "$status" "$output"
  failures=$((failures + 1))
}

case "$tools" in
  all) tools="verilator iverilog yosys" ;;
  verilator | iverilog | yosys) ;;
  *) echo "lint.sh: unknown tool '$tools'; one of all, verilator, iverilog, yosys" >&2; exit 2 ;;
esac
if [[ ${#modules[@]} -eq 0 ]]; then
  echo "lint.sh: no module in $PWD" >&2
  exit 2
fi

checks=0
for tool in $tools; do
  for module in "${!file_of[@]}"; do
    check "$tool" "$module"
    checks=$((checks + 1))
  done
  while read -r -a variant; do
    if [[ ${#variant[@]} -eq 0 ]]; then continue; fi
    check "$tool" "${variant[@]}"
    checks=$((checks + 1))
  done <<<"$variants"
done
echo "lint.sh: $checks checks, $failures failed"
[[ $failures -eq 0 ]]
