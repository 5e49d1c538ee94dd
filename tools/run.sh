#!/usr/bin/env bash
# Installs what is missing, builds, and runs weft with the given arguments. Without arguments it
# runs the main job: a 1000x1000x1000 matrix product on the default machine. If `--engine rtl` needs
# an array that is not built yet, tools/rtl.sh builds it.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ $# -eq 0 ]]; then set -- matmul; fi
caller="$PWD"

take_lock
install_packages run
configure run
if [[ ! -x "$weft_build/cli/weft" ]]; then say "building; the first time takes minutes"; fi
# Libraries that were built before are rebuilt if their sources changed.
targets=(weft)
for library in "$weft_build"/lib/weft/rtl/*.so; do
  target="rtl_$(basename "$library" .so)"
  if has_target "$target"; then targets+=("$target"); fi
done
if [[ -e "$weft_build/lib/weft/mpi.so" ]] && has_target weft_mpi_library; then
  targets+=(weft_mpi_library)
fi
build "${targets[@]}"
release_lock

cd "$caller"
export WEFT_RTL_BUILDER="$weft_root/tools/rtl.sh"
exec "$weft_build/cli/weft" "$@"
