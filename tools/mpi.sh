#!/usr/bin/env bash
# Builds weft with what `weft sweep` needs to run under mpirun (Open MPI). Installs what is missing
# first. Then, for example:
#   mpirun -n 8 build/release/cli/weft sweep examples/sweep.ini --db points.db
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ $# -gt 0 ]]; then
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi

take_lock
install_packages run mpi
configure run mpi
build weft weft_mpi_library
