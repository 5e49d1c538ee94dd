#!/usr/bin/env bash
# Checks the rules of the house that no compiler checks. Prints each violation; exit code 1 if there is one.
#   tools/check.sh            all rules; clang-tidy on the files that differ from the branch main
#   tools/check.sh --all      all rules; clang-tidy on every file
#   tools/check.sh RULE...    these rules alone:
#     format    C++ is formatted as .clang-format says
#     layers    folders include only what cmake/CheckLayers.cmake allows
#     paths     the files and folders that the pages name exist
#     scripts   shellcheck finds nothing in the shell scripts
#     sizes     no folder has more than 25 C++ sources, no source more than 400 lines
#     tidy      clang-tidy finds nothing (.clang-tidy)
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

readonly kRules=(format layers paths scripts sizes tidy)
readonly kMostFiles=25   # C++ sources in one folder, without the folders below it
readonly kMostLines=400  # of one source
readonly kBranch=main  # tidy compares with the commit at which the work left this branch

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# The files like these patterns that git tracks or would track.
files_like() {
  git ls-files --cached --others --exclude-standard -- "$@" |
    while read -r file; do if [[ -f "$file" ]]; then echo "$file"; fi; done
}

# The C++ files.
sources() { files_like '*.h' '*.cpp' '*.cu' '*.cuh'; }

check_format() { sources | xargs -P 2 -n 100 clang-format --dry-run -Werror; }

check_layers() { cmake -DROOT="$weft_root" -P cmake/CheckLayers.cmake; }

# Paths between backticks that begin with a folder of this tree; {a,b} means what it means to a shell.
check_paths() {
  local tops page path each problems=0
  tops="$(git ls-files '*/*' | sed 's|/.*||' | sort -u | paste -sd '|')"
  while IFS=: read -r page path; do
    [[ "$path" =~ (NAME|FAMILY|KIND|TITLE) ]] && continue  # they stand for any name
    for each in $(eval "echo ${path//\`/}"); do
      [[ -e "$each" ]] && continue
      echo "$page names $each, which does not exist"
      problems=1
    done
  done < <(files_like '*.md' | xargs grep -oE "\`($tops)/[A-Za-z0-9_./{},*-]+\`")
  return "$problems"
}

check_scripts() { git ls-files '*.sh' .ci/run | xargs shellcheck -x; }

# Names each folder and each source above its limit.
check_sizes() {
  local problems
  problems="$(
    sources | sed 's|/[^/]*$||' | sort | uniq -c | awk -v most="$kMostFiles" '$1 > most {
      print $2 " has " $1 " C++ sources, more than " most "; move those of one subject to a folder below it" }'
    files_like '*.h' '*.cpp' '*.cu' '*.cuh' '*.inc' '*.sv' '*.svh' '*.js' '*.mjs' '*.css' '*.html' \
      '*.py' '*.sh' '*.cmake' |
      xargs wc -l | awk -v most="$kMostLines" '$2 != "total" && $1 > most {
      print $2 " has " $1 " lines, more than " most "; split it by subject" }'
  )"
  if [[ -n "$problems" ]]; then
    printf '%s\n' "$problems"
    return 1
  fi
}

# Files of the working tree that are not as on the branch, if there is such a branch.
changed_sources() {
  local base
  base="$(git merge-base HEAD "$kBranch" 2>/dev/null)" || base=HEAD
  comm -12 <(sources | sort) <({ git diff --name-only "$base"; git ls-files --others; } | sort -u)
}

# C++ files to check: a changed header counts for each file that includes it directly.
tidy_sources() {
  if [[ -n "$all" ]]; then
    sources | grep '\.cpp$'
    return
  fi
  local file
  changed_sources | while read -r file; do
    case "$file" in
      *.cpp) echo "$file" ;;
      *.h) sources | grep '\.cpp$' | xargs grep -lF "#include \"$file\"" || true ;;
    esac
  done | sort -u
}

# The headers of the tidy build that Verilator writes and C++ files include.
verilated_headers() {
  ninja -C "$1" -t targets all | grep -oE '^[^:/][^:]*\.verilated/V[^:]*\.h' |
    grep -F -f <(sources | xargs grep -hoE '^#include "V[^"]*' | sed 's|.*"|/|')
}

# clang-tidy needs each file's own compile command, so neither unity files nor precompiled headers. Of
# what a build generates it needs only headers, and only Verilator writes those when Weft is built.
check_tidy() {
  local build="$weft_root/build/tidy"
  local -a files
  mapfile -t files < <(tidy_sources)
  if [[ ${#files[@]} -eq 0 ]]; then return 0; fi
  quietly "configuring" cmake -S "$weft_root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DWEFT_CUDA=OFF
  local -a headers
  mapfile -t headers < <(verilated_headers "$build")
  if [[ ${#headers[@]} -gt 0 ]]; then
    quietly "verilating" cmake --build "$build" --target "${headers[@]}"
  fi
  # Files that this configuration does not compile have no command.
  comm -12 <(printf '%s\n' "${files[@]}" | sort) \
    <(sed -n "s|.*\"file\": \"$weft_root/\(.*\)\".*|\1|p" "$build/compile_commands.json" | sort) |
    { xargs -r -P 2 -n 1 clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>&1; } |
    { grep -v ' warnings\? generated' || true; }
}

all=""
rules=()
for argument in "$@"; do
  case "$argument" in
    --all) all=yes ;;
    format | layers | paths | scripts | sizes | tidy) rules+=("$argument") ;;
    *) usage ;;
  esac
done
if [[ ${#rules[@]} -eq 0 ]]; then rules=("${kRules[@]}"); fi

check() {
  case "$1" in
    format) check_format ;;
    layers) check_layers ;;
    paths) check_paths ;;
    scripts) check_scripts ;;
    sizes) check_sizes ;;
    tidy) check_tidy ;;
  esac
}

take_lock
cd "$weft_root"
status=0
for rule in "${rules[@]}"; do
  case "$rule" in
    layers) install_packages run ;;
    format | scripts) install_packages style ;;
    tidy) install_packages run rtl mpi test style check ;;
  esac
  if ! check "$rule"; then
    say "the rule '$rule' is broken; see above"
    status=1
  fi
done
exit "$status"
