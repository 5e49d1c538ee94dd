#!/usr/bin/env bash
# Installs what is missing, builds weft_bench and runs it with the given arguments, which are options of
# Google Benchmark. docs/performance.md explains the rows.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

take_lock
install_packages run rtl mpi bench
configure run rtl mpi bench
build weft_bench rtl
release_lock
exec "$weft_build/tools/bench/weft_bench" "$@"
