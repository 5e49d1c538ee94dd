#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the tests.
#   tools/test.sh                   all of them
#   tools/test.sh -L unit           one tier: unit, cycle, golden, property, cosim, formal, mutants, e2e, fuzz,
#                                   sanitized, page
#   tools/test.sh -R Npy -V         any other arguments of ctest
# ctest ends with a summary of how many tests ran under each tier's label.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

take_lock
install_packages run rtl mpi test style
if [[ "${CI:-}" == true ]]; then need_package_lists; fi
configure run rtl mpi test
build all mutants libfuzzer
# Tests see only the programs of the listed packages (docs/testing.md).
path="$("$weft_root/tests/packages/path.sh" "$weft_build/programs")"
release_lock
exec env PATH="$path" ctest --test-dir "$weft_build" --parallel 2 --output-on-failure --no-tests=error "$@"
