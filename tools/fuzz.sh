#!/usr/bin/env bash
# Fuzzes the readers of untrusted input with libFuzzer: docs/testing.md, "Fuzzing".
#   tools/fuzz.sh                       10^6 inputs for each target of tests/fuzz
#   tools/fuzz.sh --runs N TARGET...    N inputs for these targets
#   tools/fuzz.sh --keep                adds what was found to tests/fuzz/corpus: the fewest inputs that
#                                       reach the same code
#   tools/fuzz.sh --table               only prints the table again
# New inputs collect in build/fuzz/found, so a later call goes on. For each target, the table on standard
# output gives the inputs that its last run tried, inputs a second, and the reached share of the code's
# edges. Exit code 1 if an input broke a promise; build/fuzz has it.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

readonly kSeconds=60      # for one input; a longer one counts as a failure
readonly kMegabytes=2048  # of memory, likewise

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# all_targets: their names, in the order of tests/fuzz/CMakeLists.txt.
all_targets() { sed -n 's/^weft_fuzz_target(\([a-z_]*\) .*/\1/p' "$weft_root/tests/fuzz/CMakeLists.txt"; }

# fuzz TARGET: runs one target; its output goes to a log.
fuzz() {
  local corpus="$weft_root/tests/fuzz/corpus/$1" found="$folder/found/$1"
  mkdir -p "$found"
  say "$1: $runs inputs"
  "$programs/$1_fuzz" "-runs=$runs" "-timeout=$kSeconds" "-rss_limit_mb=$kMegabytes" \
    -print_final_stats=1 -close_fd_mask=1 "-artifact_prefix=$folder/$1-" "$found" "$corpus" \
    >"$folder/$1.log" 2>&1 </dev/null && return 0
  say "$1: an input broke a promise; the end of $folder/$1.log says which"
  return 1
}

# coverage TARGET: "REACHED ALL", in edges of the functions that the corpus and what was found reach.
# Functions that are never called belong to other targets: all of them share one program.
coverage() {
  "$programs/$1_fuzz" -runs=0 -print_coverage=1 -close_fd_mask=1 "$folder/found/$1" \
    "$weft_root/tests/fuzz/corpus/$1" 2>&1 </dev/null |
    sed -nE 's|^COVERED_FUNC: .* edges: ([0-9]+)/([0-9]+) .*|\1 \2|p' |
    awk '{ reached += $1; all += $2 } END { print reached + 0, all + 0 }'
}

statistic() { sed -n "s/^stat::$2: *//p" "$folder/$1.log"; }

table() {
  local name reached all
  printf '%-18s %9s %9s %8s %8s %7s %7s\n' target inputs 'a second' edges 'of them' found kept
  for name in "${targets[@]}"; do
    [[ -f "$folder/$name.log" ]] || continue
    read -r reached all < <(coverage "$name")
    printf '%-18s %9d %9d %8d %6d %% %7d %7d\n' "$name" "$(statistic "$name" number_of_executed_units)" \
      "$(statistic "$name" average_exec_per_sec)" "$reached" $((all > 0 ? reached * 100 / all : 0)) \
      "$(find "$folder/found/$name" -type f | wc -l)" \
      "$(find "$weft_root/tests/fuzz/corpus/$name" -type f | wc -l)"
  done
}

# keep TARGET: libFuzzer's own choice of the fewest inputs, named like those that are there.
keep() {
  local corpus="$weft_root/tests/fuzz/corpus/$1" chosen="$folder/chosen" file
  rm -rf "$chosen"
  mkdir -p "$chosen"
  cp "$corpus"/* "$chosen"
  "$programs/$1_fuzz" -set_cover_merge=1 -close_fd_mask=1 "$chosen" "$folder/found/$1" \
    >"$folder/$1-keep.log" 2>&1 </dev/null || die "$1: libFuzzer cannot choose; see $folder/$1-keep.log"
  for file in "$chosen"/*; do cp "$file" "$corpus/$(sha1sum "$file" | cut -c 1-12)"; done
  rm -rf "$chosen"
}

runs=1000000 keeps="" only_table="" targets=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --runs) [[ $# -ge 2 && "$2" =~ ^[0-9]+$ ]] || usage; runs="$2"; shift ;;
    --keep) keeps=yes ;;
    --table) only_table=yes ;;
    -*) usage ;;
    *) all_targets | grep -qx "$1" || die "there is no target $1; there are: $(all_targets | paste -sd ' ')"
       targets+=("$1") ;;
  esac
  shift
done
if [[ ${#targets[@]} -eq 0 ]]; then mapfile -t targets < <(all_targets); fi

take_lock
install_packages run rtl mpi test
configure run rtl mpi test
build libfuzzer
release_lock
programs="$weft_build/tests/fuzz/build/tests/fuzz"
folder="$weft_root/build/fuzz"
mkdir -p "$folder"

failed=""
if [[ -z "$keeps$only_table" ]]; then
  running=()
  for name in "${targets[@]}"; do
    # As many at a time as there are processors.
    if [[ ${#running[@]} -ge "$(nproc)" ]]; then
      wait "${running[0]}" || failed=yes
      running=("${running[@]:1}")
    fi
    fuzz "$name" &
    running+=($!)
  done
  for process in "${running[@]}"; do wait "$process" || failed=yes; done
fi
if [[ -n "$keeps" ]]; then
  for name in "${targets[@]}"; do
    if [[ -d "$folder/found/$name" ]]; then keep "$name"; fi
  done
fi
table
[[ -z "$failed" ]]
