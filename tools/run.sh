#!/usr/bin/env bash
# Installs what is missing, builds, and runs weft with the arguments given. Without arguments it
# runs the main job: a 1000x1000x1000 matrix product on the default machine.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ $# -eq 0 ]]; then set -- matmul; fi

install_packages
configure
build weft
exec "$weft_build/cli/weft" "$@"
