#!/usr/bin/env bash
# Builds tests with sanitizers and runs them: docs/testing.md, "Sanitizers".
#   tools/sanitize.sh address            address and undefined behavior; the tiers unit, cycle and golden
#   tools/sanitize.sh thread             data races; the tests that run several threads
#   tools/sanitize.sh address property   other tiers
# Each kind has a build folder of its own, build/address or build/thread.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# They run simulations side by side, the kernels' pool of threads, and products on several threads.
readonly kThreadTests=(two_threads_test thread_pool_test tile_product_test reference_matmul_test)
readonly kThreadSuites='TwoThreads|ThreadPool|TileProduct|Matmul'

kind="${1:-}"
shift || usage
tiers=("$@")
case "$kind" in
  address)
    sanitizers="address;undefined"
    if [[ ${#tiers[@]} -eq 0 ]]; then tiers=(unit cycle golden); fi
    ;;
  thread) sanitizers=thread ;;
  *) usage ;;
esac

targets=("${kThreadTests[@]}")
chosen=(-R "$kThreadSuites")
if [[ ${#tiers[@]} -gt 0 ]]; then
  targets=("${tiers[@]/#/tests_}")
  chosen=(-L "^($(IFS='|'; echo "${tiers[*]}"))\$")
fi

take_lock
install_packages run test
folder="$weft_root/build/$kind"
# Barely optimized, with line numbers only: full debug information takes much longer.
say "building ${targets[*]} in $folder"
quietly "configuring" cmake -S "$weft_root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Sanitize \
  "-DCMAKE_CXX_FLAGS_SANITIZE=-O1 -g1" "-DWEFT_SANITIZE=$sanitizers" -DWEFT_UNITY=ON -DWEFT_PRECOMPILE=ON \
  -DWEFT_RTL=OFF -DWEFT_CUDA=OFF -DWEFT_BUILD_BENCH=OFF -DWEFT_GEMM_X86_64=OFF
quietly "building" cmake --build "$folder" --target "${targets[@]}"
release_lock
# SystemC's stacks and globals: docs/testing.md.
export ASAN_OPTIONS="detect_leaks=0:log_path=$folder/report"
export TSAN_OPTIONS="suppressions=$weft_root/tools/thread_sanitizer.supp"
exec ctest --test-dir "$folder" --parallel 2 --output-on-failure --no-tests=error "${chosen[@]}"
