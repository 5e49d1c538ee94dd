#!/usr/bin/env bash
# ranks_test.sh WEFT: two ranks of an MPI job give the points that one process gives; a job with a rank
# that dies ends with a line of Weft, and goes on when it is started again.
set -euo pipefail

readonly weft="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "$*" >&2
  exit 1
}

# Everything but the last column, which is the time that a point took. The identity has no comma.
points() { sed 's/,[^,]*$//' "$1" | sort; }

sweep=(sweep resnet18 --optimize 0 --array.rows '32..64+4' --array.cols '32..64+4')

"$weft" "${sweep[@]}" --csv alone.csv --quiet
[[ "$(wc -l <alone.csv)" -eq 82 ]] || fail "not 81 points: $(wc -l <alone.csv)"
mpirun -n 2 "$weft" "${sweep[@]}" --db ranks.db --csv ranks.csv --quiet
cmp <(points alone.csv) <(points ranks.csv) || fail "two ranks give other points"

# A rank that dies.
mpirun -n 2 "$weft" "${sweep[@]}" --db killed.db --quiet 2>killed.err &
job=$!
sleep 1.2
second="$(pgrep -f "$weft ${sweep[1]}.*killed.db" | tail -n 1 || true)"
if [[ -n "$second" ]]; then kill -9 "$second"; fi
wait "$job" || true
mpirun -n 2 "$weft" "${sweep[@]}" --db killed.db --csv killed.csv --quiet
cmp <(points alone.csv) <(points killed.csv) || fail "a sweep that went on gives other points"

# One rank says how to go on: the first, or the next one if that was killed; also if all are stopped.
line='^weft: interrupted; the points so far are in said.db: the same command goes on$'
long=(sweep resnet50 --optimize 0 --array.rows '64..256' --memory.gb_per_s '100..1000' --db said.db --quiet)
for victim in first second job; do
  rm -f said.db
  mpirun -n 4 "$weft" "${long[@]}" 2>said.err &
  job=$!
  until [[ -s said.db ]]; do sleep 0.1; done
  mapfile -t ranks < <(pgrep -P "$job" | sort -n)
  case "$victim" in
    first) kill -9 "${ranks[0]}" ;;
    second) kill -9 "${ranks[1]}" ;;
    job) kill -TERM "$job" ;;
  esac
  wait "$job" || true
  [[ "$(grep -c "$line" said.err)" -eq 1 ]] || fail "the $victim was killed: $(cat said.err)"
done

# One process says it without an empty line: stderr is a file and has no progress bar.
rm -f said.db
"$weft" "${long[@]}" 2>said.err &
job=$!
until [[ -s said.db ]]; do sleep 0.1; done
kill -TERM "$job"
wait "$job" || true
grep -q "$line" said.err || fail "one process: $(cat said.err)"
[[ "$(wc -l <said.err)" -eq 1 ]] || fail "one process: not one line: $(cat said.err)"

# An error is said once.
if mpirun -n 2 "$weft" "${sweep[@]}" --jobs 2 2>error; then fail "took --jobs under mpirun"; fi
[[ "$(grep -c '^weft: --jobs: mpirun says how many' error)" -eq 1 ]] || fail "$(cat error)"

# An error that only the first rank finds has its line and its exit code too; the others end in silence.
echo "no database" >other.db
for options in "--db other.db" "--db missing/x.db" "--where rows>1000"; do
  code=0
  # shellcheck disable=SC2086  # two words
  mpirun -n 3 "$weft" "${sweep[@]}" $options 2>error >/dev/null || code=$?
  [[ "$code" -eq 2 ]] || fail "$options: exit code $code: $(cat error)"
  [[ "$(grep -c '^weft: ' error)" -eq 1 ]] || fail "$options: $(cat error)"
done

# Only one rank prints a report.
mpirun -n 2 "$weft" sweep --report killed.db >report
[[ "$(grep -c '^killed.db: 81 points' report)" -eq 1 ]] || fail "$(cat report)"
if grep -q $'\033' report; then fail "colors in a file"; fi
