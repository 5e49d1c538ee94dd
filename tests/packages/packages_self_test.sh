#!/usr/bin/env bash
# Checks that the other two scripts of this folder notice a package missing from the list.
#
#   packages_self_test.sh BUILD WORK
#
# BUILD is a build folder with tests; the script writes to WORK.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=tests/packages/closure.sh
source "$here/closure.sh"

# list_without PACKAGE: prints a folder whose list lacks the package.
list_without() {
  mkdir -p "$work/$1/tools"
  grep -vx "$1" "$here/../../tools/packages.txt" >"$work/$1/tools/packages.txt"
  echo "$work/$1"
}

# Cases: a library whose headers and archive only tests use, and a program that only a script runs.
expect_named() {
  local package="$1" root output status=0
  root="$(list_without "$package")"
  output="$("$here/packages_test.sh" --root "$root" "$build" 2>&1)" || status=$?
  if [[ "$status" -eq 77 ]]; then
    echo "$output"
    exit 77
  fi
  [[ "$status" -eq 1 ]] || die "without $package: exit code $status: $output"
  grep -q ": of $package, used by " <<<"$output" || die "$package is not named: $output"
  if grep ', used by ' <<<"$output" | grep -v ": of $package, "; then
    die "without $package, other packages are named too"
  fi
}

expect_program() {
  [[ -x "$1/$2" ]] || die "$1 lacks $2"
}

# The folders lie beside the cached answers of apt, so that both tests share them.
expect_paths() {
  local whole less program
  whole="$("$here/path.sh" "$build/programs-whole")"
  less="$("$here/path.sh" --root "$(list_without z3)" "$build/programs-less")"
  for program in bash sh awk sed flock git c++ cmake ctest ninja verilator vvp; do
    expect_program "$whole" "$program"
    expect_program "$less" "$program"
  done
  expect_program "$whole" z3
  [[ ! -e "$less/z3" ]] || die "$less has z3, which is not listed"
  PATH="$less" bash -c '! command -v z3' || die "z3 is found by PATH"
}

[[ $# -eq 2 ]] || die "usage: packages_self_test.sh BUILD WORK"
mkdir -p "$2"
build="$(cd "$1" && pwd)"
work="$(cd "$2" && pwd)"
expect_named libgmock-dev
expect_named z3
expect_paths
