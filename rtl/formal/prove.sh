#!/usr/bin/env bash
# Proves the properties of the RTL: docs/rtl.md says which, how and under which assumptions.
#
#   prove.sh [RTL_FOLDER [WORK_FOLDER [MODULE...]]]
#
# RTL_FOLDER defaults to the folder above this script. WORK_FOLDER gets models and logs and defaults
# to a temporary folder. MODULE is pe_registers, pe_int8, mxu or mxu:ROWSxCOLS; by default the first
# three. Prints one line per proof. Exit code 0: all properties hold and all covers are reached; 1: a
# property or cover fails, or Yosys refuses the design; 2: wrong arguments.
set -euo pipefail

readonly kUsage="usage: prove.sh [RTL_FOLDER [WORK_FOLDER [pe_registers|pe_int8|mxu|mxu:RxC]...]]"
readonly kSolverSeconds=120  # a proof takes seconds, but may never end for a broken design
readonly kMxuSizes=(1x1 1x3 3x1 2x2 2x3 3x2)
failures=0

die() {
  echo "prove.sh: $1" >&2
  exit 2
}

# report DESIGN PROPERTIES MODE DEPTH RESULT
report() { printf '%-13s %-15s %-10s depth %2s  %s\n' "$@"; }

fail() {
  failures=$((failures + 1))
  report "$@"
}

# --- Models: a design and its properties as SMT-LIB -----------------------------------------------

# Prints the wires for the PEs' registers that mxu_state.svh needs. Yosys reads no hierarchical names,
# but connects a wire with the attribute hierconn to the wire of the same name in the flat design. If
# there is none, the wire may have any value, and the proof fails.
pe_wires() {
  local rows=$1 cols=$2 r c weight name
  for weight in shadow:u_registers.weight_shadow_q active:u_registers.weight_active_q \
    used:weight_used; do
    echo "logic [TileWidth-1:0] pe_${weight%%:*};"
    for ((r = 0; r < rows; r++)); do
      for ((c = 0; c < cols; c++)); do
        name="\\gen_row[$r].gen_col[$c].gen_pe.u_pe.${weight#*:} "
        echo "(* keep, hierconn *) logic [ElementWidth-1:0] $name;"
        echo "assign pe_${weight%%:*}[$((r * cols + c))*ElementWidth+:ElementWidth] = $name;"
      done
    done
  done
}

# model NAME TOP DEFINES PARAMETERS PASSES WRITE_OPTIONS: writes WORK/NAME.smt2 from `sources`.
model() {
  local name=$1 top=$2 defines=$3 parameters=$4 passes=$5 options=$6
  local log="$work/$name.yosys.log"
  yosys -q -l "$log" -p "
    read_verilog -formal -sv $defines -I$name ${sources[*]/#/rtl/}
    ${parameters:+chparam $parameters $top}
    prep -flatten -top $top
    async2sync
    dffunmap
    $passes
    write_smt2 -wires $options $name.smt2" > /dev/null 2>&1 ||
    { fail "$name" - model - "FAILED: $(grep -m 1 ERROR "$log") ($log)" && false; }
}

# --- Proofs ---------------------------------------------------------------------------------------

# Prints the failed assertions and the unreached covers in the solver's log.
complaints() {
  grep -q 'Status: ' "$1" || echo -n "no answer of the solver "
  sed -nE \
    's/^.*(Assert failed in [^:]*:|Unreached cover statement at) *([^ ]*[^ .])\.?$/\2/p' "$1" |
    sort -u | paste -sd ' '
}

# run DESIGN PROPERTIES MODE DEPTH MODEL LOGIC [OPTION...]: calls the solver once and prints one line.
# With --unroll, --noincr and a logic without arrays, z3 replaces equals by equals before it searches.
# That turns hours into seconds.
run() {
  local design=$1 properties=$2 mode=$3 depth=$4 name=$5 logic=$6
  shift 6
  local log="$work/$name.$mode.log" done=proved
  [[ $mode != cover ]] || done=reached
  if timeout "$kSolverSeconds" yosys-smtbmc -s z3 --unroll --noincr --noprogress --logic "$logic" \
    "$@" -t "$depth" "$work/$name.smt2" > "$log" 2>&1; then
    report "$design" "$properties" "$mode" "$depth" "$done"
  else
    fail "$design" "$properties" "$mode" "$depth" "FAILED: $(complaints "$log") ($log)"
  fi
}

# prove DESIGN BOUND DEPTH NAME LOGIC: proves that the properties hold in the first BOUND cycles from a
# reset on, and also after any DEPTH cycles in which they held.
prove() {
  local design=$1 bound=$2 depth=$3 name=$4 logic=$5
  run "$design" "from reset" bounded "$bound" "$name" "$logic"
  run "$design" "in any state" induction "$depth" "$name" "$logic" -i
}

prove_pe() {
  local top=$1 bound=$2
  model "$top" "$top" "-DFORMAL_${top^^}" "" "chformal -cover -remove" "" &&
    prove "$top" "$bound" 2 "$top" QF_BV
  model "${top}_cover" "$top" "-DFORMAL_${top^^}" "" "chformal -assert -remove" "" &&
    run "$top" "cases" cover 6 "${top}_cover" QF_BV -c
}

prove_pe_registers() {
  sources=(pe_registers.sv)
  prove_pe pe_registers 8 || true
}

prove_pe_int8() {
  sources=(pe_registers.sv pe_int8.sv)
  prove_pe pe_int8 3 || true
}

# Proves an array of ROWSxCOLS with any multiplier. Rows+Cols cycles are enough for the induction,
# because older inputs have left the array.
prove_mxu() {
  local rows=${1%x*} cols=${1#*x} name="mxu_$1"
  local depth=$((rows + cols))
  local bound=$depth
  [[ $1 != 2x2 ]] || bound=12  # long enough to show the error of a broken design after a reset
  sources=(delay.sv skew.sv deskew.sv pe_registers.sv pe_int8.sv mxu.sv)
  mkdir -p "$work/$name"
  pe_wires "$rows" "$cols" > "$work/$name/pe_wires.svh"
  model "$name" mxu -DFORMAL_MXU "-set Rows $rows -set Cols $cols" \
    "read_verilog formal/any_product.v; techmap -map formal/any_product_map.v
     select -assert-none t:\$mul" "-tpl formal/any_product.smt2.tpl" &&
    prove "mxu $1" "$bound" "$depth" "$name" QF_UFBV
}

cover_mxu() {
  local name=mxu_cover
  mkdir -p "$work/$name"
  pe_wires 2 2 > "$work/$name/pe_wires.svh"
  model "$name" mxu "-DFORMAL_MXU -DFORMAL_MXU_COVERS" "-set Rows 2 -set Cols 2" \
    "chformal -assert -remove" "" && run "mxu 2x2" "cases" cover 12 "$name" QF_BV -c
}

# --- Main -----------------------------------------------------------------------------------------
formal=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rtl=$(cd "${1:-$formal/..}" 2> /dev/null && pwd) || die "no folder $1; $kUsage"
[[ -f $rtl/mxu.sv ]] || die "no mxu.sv in $rtl; $kUsage"
if [[ -n ${2:-} ]]; then
  mkdir -p "$2"
  work=$(cd "$2" && pwd)
else
  work=$(mktemp -d)
  trap '((failures)) || rm -rf "$work"' EXIT  # keeps the logs of a failure
fi
shift $(($# < 2 ? $# : 2))
# Yosys cannot read files whose path has a space, so it runs in the work folder, with links.
cd "$work"
ln -sfn "$rtl" rtl
ln -sfn "$formal" formal
(($#)) || set -- pe_registers pe_int8 mxu

for module in "$@"; do
  case $module in
    pe_registers) prove_pe_registers ;;
    pe_int8) prove_pe_int8 ;;
    mxu)
      for size in "${kMxuSizes[@]}"; do prove_mxu "$size" || true; done
      cover_mxu || true
      ;;
    mxu:[1-9]x[1-9]) prove_mxu "${module#mxu:}" || true ;;
    *) die "no proofs of $module; $kUsage" ;;
  esac
done
exit $((failures > 0))
