#!/usr/bin/env bash
# Measures the gates of the array and which sizes fit an FPGA; docs/rtl.md explains the columns.
#   rtl/synth/synth.sh gates TOP [PARAMETER=VALUE ...]   one line: cells= registers= levels=
#   rtl/synth/synth.sh fpga SIDE [--serial]              places and routes SIDE x SIDE int8 PEs
#   rtl/synth/synth.sh docs                              measures both tables of docs/rtl.md and writes
#                                                        them there; takes minutes
set -euo pipefail

rtl="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
docs="$rtl/../docs/rtl.md"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
ln -s "$rtl" "$work/rtl"  # Yosys cannot read files whose path has a space

# The FPGA: Lattice iCE40 HX8K, 7680 logic cells of a LUT, a carry and a flip-flop, 206 pins.
device=(--hx8k --package ct256)
seed=1

# Yosys commands that read all modules and fix the top's parameters. Assertions are not hardware.
read_design() {
  local top="$1" parameter
  shift
  echo "read_verilog -sv -noassert $work/rtl/binary32_pkg.sv"
  local file
  for file in "$work"/rtl/*.sv "$work"/rtl/synth/*.sv; do
    if [[ "$file" != *_pkg.sv ]]; then echo "read_verilog -sv -noassert $file"; fi
  done
  printf 'hierarchy -check -top %s' "$top"
  for parameter in "$@"; do printf ' -chparam %s %s' "${parameter%%=*}" "${parameter#*=}"; done
  echo
}

# cells: gates of at most two inputs and multiplexers; registers: flip-flops; levels: the most
# cells that a signal passes from one register to the next.
gates() {
  local top="$1"
  {
    read_design "$@"
    echo "synth -flatten -top $top"
    echo "tee -q -o $work/stat stat"
    echo "tee -q -o $work/ltp ltp -noff"
  } >"$work/gates.ys"
  yosys -q "$work/gates.ys" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  awk '
    /^ *\$_.*DFF/ { registers += $2; next }
    /^ *\$_/      { cells += $2 }
    match($0, /length=[0-9]+/) { levels = substr($0, RSTART + 7, RLENGTH - 7) }
    END { printf "cells=%d registers=%d levels=%d\n", cells, registers, levels }
  ' "$work/stat" "$work/ltp"
}

# Prints one line: cells=USED of=ALL pins=USED mhz=N. If nextpnr fails, its error replaces mhz=N.
fpga() {
  local side="$1" top=mxu log="$work/nextpnr.log"
  if [[ "${2:-}" == --serial ]]; then top=mxu_serial; fi
  {
    read_design "$top" "Rows=$side" "Cols=$side"
    echo "synth_ice40 -top $top -json $work/fpga.json"
  } >"$work/fpga.ys"
  yosys -q "$work/fpga.ys" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  local status=0
  nextpnr-ice40 "${device[@]}" --seed "$seed" --json "$work/fpga.json" --asc "$work/fpga.asc" \
    >"$log" 2>&1 || status=$?
  awk -v status="$status" '
    sub(/.*ICESTORM_LC: */, "") { cells = $1 + 0; of = $2 + 0 }
    sub(/.*SB_IO: */, "")       { pins = $1 + 0 }
    /Max frequency for clock/ { match($0, /[0-9.]+ MHz/); mhz = substr($0, RSTART, RLENGTH - 4) }
    /^ERROR/ && !error { error = $0 }
    END {
      printf "cells=%d of=%d pins=%d ", cells, of, pins
      if (status == 0) printf "mhz=%s\n", mhz
      else printf "fails: %s\n", error
    }' "$log"
}

value_of() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$2"; }

# gates_row NAME TOP PARAMETER...
gates_row() {
  local name="$1" line
  shift
  line="$(gates "$@")"
  printf '| %s | %s | %s | %s |\n' "$name" "$(value_of cells "$line")" \
    "$(value_of registers "$line")" "$(value_of levels "$line")"
}

bf16=(ElementWidth=16 ExponentWidth=8)
fp16=(ElementWidth=16 ExponentWidth=5)

# The backquotes are Markdown.
# shellcheck disable=SC2016
gates_table() {
  local side
  echo '| module | cells | registers | levels |'
  echo '|---|---:|---:|---:|'
  gates_row '`pe_int8`' pe_int8
  gates_row '`pe_float`, bf16' pe_float "${bf16[@]}"
  gates_row '`pe_float`, fp16' pe_float "${fp16[@]}"
  for side in 2 4 8; do gates_row "\`mxu\` ${side}x$side, int8" mxu Rows=$side Cols=$side; done
  for side in 2 4; do
    gates_row "\`mxu\` ${side}x$side, bf16" mxu Rows=$side Cols=$side "${bf16[@]}"
    gates_row "\`mxu\` ${side}x$side, fp16" mxu Rows=$side Cols=$side "${fp16[@]}"
  done
  printf '\n%s\n' "$(yosys -V | sed 's/ (.*//')."
}

# Prints what nextpnr ran out of (cells or pins), given the result line of a failed run.
obstacle() {
  if [[ $(value_of cells "$1") -gt $(value_of of "$1") ]]; then echo cells; else echo pins; fi
}

# fpga_row NAME SIDE [--serial]
fpga_row() {
  local name="$1" line result
  shift
  line="$(fpga "$@")"
  result="$(value_of mhz "$line") MHz"
  if [[ "$line" == *fails:* ]]; then result="does not fit: $(obstacle "$line")"; fi
  printf '| %s | %s of %s | %s | %s |\n' "$name" "$(value_of cells "$line")" \
    "$(value_of of "$line")" "$(value_of pins "$line")" "$result"
}

# shellcheck disable=SC2016
fpga_table() {
  echo '| top | logic cells | pins | clock |'
  echo '|---|---:|---:|---:|'
  fpga_row '`mxu` 4x4, int8' 4
  fpga_row '`mxu` 5x5, int8' 5
  fpga_row '`mxu_serial` 5x5, int8' 5 --serial
  fpga_row '`mxu_serial` 6x6, int8' 6 --serial
  printf '\n%s, %s, options `%s --seed %s`.\n' "$(yosys -V | sed 's/ (.*//')" \
    "$(nextpnr-ice40 --version 2>&1 | sed 's/.*(Version \([^)]*\)).*/nextpnr-ice40 \1/')" \
    "${device[*]}" "$seed"
}

# Replaces the text between the markers $1 of docs/rtl.md with file $2.
replace_section() {
  grep -qF "<!-- $1 -->" "$docs" || { echo "synth.sh: no marker '$1' in $docs" >&2; return 1; }
  sed -i -e "/<!-- $1 -->/,/<!-- end of $1 -->/{/<!--/!d}" -e "/<!-- $1 -->/r $2" "$docs"
}

write_docs() {
  gates_table >"$work/gates.md"
  fpga_table >"$work/fpga.md"
  replace_section gates "$work/gates.md"
  replace_section fpga "$work/fpga.md"
}

usage() {
  sed -n '3,6s/^# *//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

command="${1:-}"
case "$command" in
  gates) if [[ $# -lt 2 ]]; then usage; fi ;;
  fpga) if [[ ! "${2:-} ${3:---serial}" =~ ^[1-9][0-9]?\ --serial$ ]]; then usage; fi ;;
  docs) command=write_docs ;;
  *) usage ;;
esac
shift
"$command" "$@"
