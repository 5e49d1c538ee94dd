#!/usr/bin/env bash
# Fills a folder with links to the programs of a bare Debian machine with the packages of
# tools/packages.txt. Prints a PATH that finds only these programs. A test that runs a program of
# another package then fails on every machine.
#
#   tests/packages/path.sh [--root FOLDER] FOLDER
#
# --root: take FOLDER/tools/packages.txt as the list.
# If the packages are unknown (no Debian, no package lists), it says so and prints PATH unchanged.
set -euo pipefail
# shellcheck source=tests/packages/closure.sh
source "$(dirname "${BASH_SOURCE[0]}")/closure.sh"

# Prints "PATH<TAB>TARGET<TAB>FILE" for each program, in PATH's order. TARGET is the link's own
# target; FILE is at the end of all links. Where /bin is a link to /usr/bin, find does not follow
# it.
programs() {
  find /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin -maxdepth 1 ! -type d \
    -printf '%p\t%l\n' 2>/dev/null >"$work/links"
  paste "$work/links" <(cut -f 1 "$work/links" | tr '\n' '\0' | xargs -0 realpath -m)
}

# Prints "FILE<TAB>NAME" for each program of the closure. A link that is in no package and no
# alternative was made by an administrator; bare machines lack it. If this machine chose an
# alternative from another package, a bare one has the best alternative of the closure.
choose() {
  awk -F '\t' '
    FILENAME ~ /closure$/ { listed[$1] = 1; next }
    FILENAME ~ /owners$/ { owned[$1] = 1; if ($2 in listed) good[$1] = 1; next }
    FILENAME ~ /alternatives$/ { if ($2 in good && !($1 in best)) best[$1] = $2; next }
    {
      name = $1
      sub(/.*\//, "", name)
      choice = $2 ~ /^\/etc\/alternatives\// && !($1 in owned)
      file = !($1 in good || choice) ? "" : $3 in good ? $1 : choice ? best[name] : ""
      if (file != "" && !(name in seen)) print file "\t" name
      if (file != "") seen[name] = 1
    }
  ' "$work/closure" "$work/owners" "$work/alternatives" "$work/programs"
}

fill() {
  local file name
  programs >"$work/programs"
  alternatives >"$work/alternatives"
  { cut -f 1,3 "$work/programs" | tr '\t' '\n'; cut -f 2 "$work/alternatives"; } | sort -u |
    owners >"$work/owners"
  rm -rf "$folder.new"
  mkdir -p "$folder.new"
  choose >"$work/chosen"
  # One call links all programs but the few with a name other than the file's.
  while read -r file name; do
    if [[ "$file" == */"$name" ]]; then echo "$file"; else ln -s "$file" "$folder.new/$name"; fi
  done <"$work/chosen" | xargs ln -s -t "$folder.new"
  rm -rf "$folder"
  mv "$folder.new" "$folder"
}

take_root "$@"
[[ ${#arguments[@]} -eq 1 ]] || die "usage: tests/packages/path.sh [--root FOLDER] FOLDER"
reason="$(why_unknown)"
if [[ -n "$reason" ]]; then
  say "tests see every program of this machine: $reason"
  echo "$PATH"
  exit
fi
mkdir -p "${arguments[0]}"
folder="$(cd "${arguments[0]}" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
closure "$(dirname "$folder")" run rtl mpi package test style bench >"$work/closure" ||
  die "apt does not know some package of tools/packages.txt"
fill
echo "$folder"
