#!/usr/bin/env bash
# For a machine with a CUDA device: builds the CUDA backend alone, checks and measures it, and writes
# the results between the markers of docs/gpu.md.
#   tools/gpu.sh            needs CMake, a C++20 compiler and the CUDA toolkit; fmt and Eigen
#                           (libfmt-dev, libeigen3-dev) for the checks of operators and networks
#   tools/gpu.sh --whole    builds Weft too, with everything in tools/packages.txt, and runs the tests
#                           that are skipped elsewhere
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

page=docs/gpu.md
begin='<!-- results: tools/gpu.sh writes what follows -->'
end='<!-- end of results -->'

usage() { sed -n '2,7s/^# \{0,1\}//p' "$0"; }

build_alone() {
  cmake -S models/reference/cuda -B build/cuda -DCMAKE_BUILD_TYPE=Release -DWEFT_CUDA=ON \
    -DCMAKE_CUDA_ARCHITECTURES=native
  cmake --build build/cuda --parallel
}

test_whole() {
  cmake -S . -B build/cuda-whole -DCMAKE_BUILD_TYPE=Release -DWEFT_CUDA=ON -DWEFT_RTL=OFF \
    -DWEFT_BUILD_BENCH=OFF -DCMAKE_CUDA_ARCHITECTURES=native
  local tests=(cuda_bodies_test cuda_rates_test cuda_operators_test cuda_run_graph_test
    cuda_networks_test cuda_training_test cuda_digits_test cuda_ptx_test cuda_device_test
    cuda_absent_test)
  cmake --build build/cuda-whole --parallel --target "${tests[@]}"
  local test
  for test in "${tests[@]}"; do "build/cuda-whole/tests/cuda/$test" --gtest_brief=1; done
}

# write_results REPORT: puts the report between the page's markers; the complete page replaces the old.
write_results() {
  local draft
  draft=$(mktemp "$page.XXXXXX")
  awk -v begin="$begin" -v end="$end" -v report="$1" '
    $0 == end { while ((getline line < report) > 0) print line; print ""; inside = 0 }
    !inside { print }
    $0 == begin { print ""; inside = 1 }
  ' "$page" >"$draft"
  chmod --reference="$page" "$draft"
  mv "$draft" "$page"
}

main() {
  case "${1:-}" in
    "") ;;
    --whole) ;;
    *) usage >&2; exit 2 ;;
  esac
  build_alone
  local report status=0
  report=$(mktemp)
  # shellcheck disable=SC2016  # the backquotes are Markdown
  printf 'Written by `tools/gpu.sh` on %s.\n\n' "$(date -u +%F)" >"$report"
  build/cuda/weft_gpu >>"$report" || status=$?
  if [ "$status" -eq 2 ]; then
    rm -f "$report"
    exit 2
  fi
  cat "$report"
  write_results "$report"
  rm -f "$report"
  if [ "${1:-}" = --whole ]; then test_whole; fi
  exit "$status"
}

main "$@"
