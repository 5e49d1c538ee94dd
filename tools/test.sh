#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the tests.
#   tools/test.sh                   all of them
#   tools/test.sh -L unit           one tier: unit, cycle, golden, property, cosim, formal, mutants, e2e, fuzz, page
#   tools/test.sh -R Npy -V         any other arguments of ctest
# ctest closes with a summary of how many tests ran under each tier's label.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages
configure
build all mutants libfuzzer
exec ctest --test-dir "$weft_build" --parallel 2 --output-on-failure --no-tests=error "$@"
