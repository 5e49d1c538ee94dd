#!/usr/bin/env bash
# Builds arrays for `--engine rtl` from the SystemVerilog of rtl/, each as a library that weft loads
# (build/release/lib/weft/rtl). Installs what is missing first.
#   tools/rtl.sh                      the nine that the tests use: 4x4, 8x8, 16x16; int8, bf16, fp16
#   tools/rtl.sh 32x32 int8           one array: rows x columns, element type
#   tools/rtl.sh 32x32 int8 8192      the same with 8192 accumulator rows; the default is 4096
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# At most 999 x 999 PEs and 99,999,999 accumulator rows: far more than Verilator can handle.
target=rtl
if [[ $# -gt 0 ]]; then
  size="${1:-}" type="${2:-}" depth="${3:-4096}"
  if [[ $# -lt 2 || $# -gt 3 || ! "$size" =~ ^[1-9][0-9]{0,2}x[1-9][0-9]{0,2}$ ||
    ! "$type" =~ ^(int8|bf16|fp16)$ || ! "$depth" =~ ^[1-9][0-9]{0,7}$ ]]; then usage; fi
  target="rtl_$type-$size-$depth"
fi

take_lock
install_packages run rtl
configure run rtl
if ! has_target "$target"; then
  models="$(sed -n 's/^WEFT_RTL_MODELS:[A-Z]*=//p' "$weft_build/CMakeCache.txt")"
  quietly "configuring" cmake "-DWEFT_RTL_MODELS=${models:+$models;}$type-$size-$depth" "$weft_build"
fi
say "building the RTL of ${*:-the nine default arrays}; 16x16 takes half a minute, 64x64 minutes"
build "$target"
