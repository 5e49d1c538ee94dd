#!/usr/bin/env bash
# Runs the suite's checks on each mutant and reports which check caught it.
#
#   run_mutants.sh BUILD_FOLDER [DOCUMENT]
#
# BUILD_FOLDER is the build folder of tests/rtl/mutants. There, `ninja mutants` puts the program
# `checks` and the libraries that it loads (arrays/), and CMake puts the mutated RTL (rtl/). The
# script writes mutants.md, the table in Markdown, and a log of each check (log/) there. If given,
# DOCUMENT gets the table between its lines <!-- mutants --> and <!-- end of mutants -->. Exit code
# 0: every mutant was caught; 1: some survived; 2: cannot tell.
set -euo pipefail

readonly kFewestMutants=30
readonly kCheckSeconds=60  # a check takes seconds, but a mutant may never end
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lint="$here/../../../rtl/lint/lint.sh"
prove="$here/../../../rtl/formal/prove.sh"

die() {
  echo "run_mutants.sh: $1" >&2
  exit 2
}

# --- Checks ----------------------------------------------------------------------------------------
# Each prints nothing if NAME passes, otherwise the way in which it was caught.

# simulated NAME CHECK TESTS: runs these GoogleTests on the libraries of the mutant.
simulated() {
  local log="log/$1.$2" status=0
  WEFT_RTL_PATH="arrays/$1" timeout "$kCheckSeconds" ./checks --gtest_filter="$3" > "$log" 2>&1 ||
    status=$?
  case $status in
    0) ;;
    1) failed_by "$2" "$log" ;;
    124) echo "$2 (does not end)" ;;
    *) echo "$2 (exit code $status)" ;;
  esac
}

# An RTL assertion or lock-step checking may fail before the check itself does.
failed_by() {
  if grep -q 'description "RTL: ' "$2"; then
    echo assertion
  elif grep -q 'description "lock-step: ' "$2"; then
    echo lock-step
  else
    echo "$1"
  fi
}

lint() { "$lint" verilator "rtl/$1" > "log/$1.lint" 2>&1 || echo lint; }

# proofs NAME: runs the proofs that the patch names in its line "Proofs: module ...".
proofs() {
  local -a modules=()
  read -r -a modules < <(sed -n 's/^Proofs: //p' "$here/$1.patch") || true
  if [[ ${#modules[@]} -eq 0 ]]; then return 0; fi
  "$prove" "rtl/$1" "proofs/$1" "${modules[@]}" > "log/$1.formal" 2>&1 || true
  # If Yosys refuses a design or the solver gives up, nothing is disproved.
  if grep FAILED "log/$1.formal" | grep -v ' model ' | grep -qv 'no answer'; then echo formal; fi
}

# check NAME: runs the checks and writes those that caught it to caught/NAME. Lint takes longer than
# the others together, so it runs only for the table of a document, and where no other check sees
# the mutant.
check() {
  local name=$1
  {
    if [[ -n $document || $name == unmutated ]]; then lint "$name"; fi
    simulated "$name" cosim 'ArrayTest.*'
    simulated "$name" lock-step 'LockstepTest.*'
    simulated "$name" float 'FloatTest.*'
    simulated "$name" integer 'IntegerTest.*'
    if [[ $name != unmutated ]]; then proofs "$name"; fi
  } | awk '!seen[$0]++ { printf "%s%s", separator, $0; separator = ", " }' > "caught/$name"
  if [[ -z $document && ! -s caught/$name && $name != unmutated ]]; then
    lint "$name" > "caught/$name"
  fi
}

# --- Table -----------------------------------------------------------------------------------------

# Prints one row per mutant: name, what is broken, types, checks that caught it.
rows() {
  local name
  for name in "${names[@]}"; do
    printf "| %s | %s | %s | %s |\n" "$name" "$(head -n 1 "$here/$name.patch")" \
      "$(sed -n 's/^Types: //p' "$here/$name.patch")" "$(cat "caught/$name")"
  done
}

table() {
  echo '| mutant | what is broken | types | caught by |'
  echo '|---|---|---|---|'
  rows
}

# Replaces the text between the two marker lines of the document.
insert_table() {
  grep -qx '<!-- mutants -->' "$1" || die "no line '<!-- mutants -->' in $1"
  sed -i -e '/^<!-- mutants -->$/,/^<!-- end of mutants -->$/{//!d}' \
    -e '/^<!-- mutants -->$/r mutants.md' "$1"
}

# --- Main ------------------------------------------------------------------------------------------
if [[ $# -lt 1 || $# -gt 2 ]]; then die "usage: run_mutants.sh BUILD_FOLDER [DOCUMENT]"; fi
document=""
if [[ $# -eq 2 ]]; then document=$(realpath "$2"); fi
cd "$1" 2> /dev/null || die "no folder $1"
mapfile -t names < names.txt
if [[ ${#names[@]} -lt $kFewestMutants ]]; then
  die "${#names[@]} mutants; at least $kFewestMutants are expected"
fi
for name in unmutated "${names[@]}"; do
  if [[ ! -x checks || -z $(compgen -G "arrays/$name/*-3x5-*.so") ]]; then
    die "arrays/$name is not there; build the target \`mutants\`: cmake --build BUILD --target mutants"
  fi
done

rm -rf caught log proofs
mkdir caught log proofs
for name in unmutated "${names[@]}"; do
  while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n || true; done
  check "$name" &
done
wait

if [[ -s caught/unmutated ]]; then
  die "the RTL itself does not pass: $(cat caught/unmutated); see $PWD/log"
fi
table > mutants.md
column -t -s '|' -o '|' mutants.md 2> /dev/null || cat mutants.md
if [[ -n $document ]]; then insert_table "$document"; fi

survivors=0
for name in "${names[@]}"; do
  if [[ ! -s caught/$name ]]; then
    echo "survived: $name: $(head -n 1 "$here/$name.patch")"
  elif grep -q '^Proofs: ' "$here/$name.patch" && ! grep -q formal "caught/$name"; then
    echo "survived its proofs: $name: $(head -n 1 "$here/$name.patch")"
  else
    continue
  fi
  survivors=$((survivors + 1))
done
echo "${#names[@]} mutants, $survivors survived"
[[ $survivors -eq 0 ]]
