#!/usr/bin/env bash
# Checks that every system file used by build and tests belongs to a package of tools/packages.txt
# or to one of their dependencies. Without this check, a gap in the list stays hidden on a machine
# with more packages. Reads the records of CMake and Ninja; builds nothing.
#
#   packages_test.sh [--root FOLDER] BUILD                 the whole build folder, all sections
#   packages_test.sh [--root FOLDER] BUILD TARGET SECTION...
#                                    what this target is built from, these sections only
#
# --root: take FOLDER/tools/packages.txt as the list. Exit code 1: some file is in no such package;
# for each, a line names file, package and user. Exit code 77: this machine cannot tell.
set -euo pipefail
# shellcheck source=tests/packages/closure.sh
source "$(dirname "${BASH_SOURCE[0]}")/closure.sh"

readonly kSkipped=77
readonly kShownFiles=4  # per package; a library may have hundreds of headers

# --- Optional files -------------------------------------------------------------------------------
# Each of these is used only if present; without it, only the function named here is missing.
optional_files() {
  cat <<'END'
^/(usr/local|opt)/cuda     the CUDA toolkit, for measurements on a device
^/usr/lib/(nvidia-)?cuda   the same from Debian's packages
/nvcc$                     its compiler, wherever it lies
/ccache$                   repeats compilations faster
^/usr/(bin|lib/llvm-[0-9.]+/bin)/(llvm-|ld.lld$)  LLVM's, which CMake takes before those of binutils
END
}
readonly kOptionalPackages='^(ccache|nvidia-cuda-.*|libcu.*|libnv.*)$'
# CMake's modules for CUDA and Protobuf also look for things that Weft does not use.
readonly kOptionalEntries='^(CUDA_|CUDAToolkit_|Protobuf_PROTOC_|CMAKE_INSTALL_PREFIX)'

is_optional() { sed 's/ .*//' <(optional_files) | paste -sd '|'; }

# --- Used files: "PATH<TAB>USER" ------------------------------------------------------------------

# Headers that the compilers read, as recorded by Ninja, with the object file as user.
headers() {
  ninja -t deps | awk '
    /^[^ ].*: #deps/ { sub(/: #deps.*/, ""); user = $0 }
    /^    \// { print substr($0, 5) "\t" user }'
}

# Files named in Ninja's rules: libraries, CMake's packages, programs, definitions. A program
# without a folder is looked up in PATH.
rules() {
  awk '
    /^ *#/ { next }
    /^build / { user = $2; sub(/:$/, "", user) }
    /^rule / { user = $2 }
    { line = $0; gsub(/[ \t"\047=;,:()|&<>$\\]+/, "\n", line); count = split(line, words, "\n") }
    { for (i = 1; i <= count; ++i) if (words[i] ~ /^(\/|-l[a-z])/) print words[i] "\t" user }
    /^ *(COMMAND|command) = / {
      sub(/^[^=]*= /, "")
      count = split($0, commands, " && ")
      for (i = 1; i <= count; ++i) {
        split(commands[i], words, " ")
        if (words[1] ~ /^[a-z][a-z0-9_.+-]*$/ && words[1] != "cd") print "?" words[1] "\t" user
      }
    }
  ' build.ninja CMakeFiles/rules.ninja
}

# Programs that ctest runs, with files in their arguments and environment.
tests() {
  # A folder without tests, such as that of the fuzzing targets, has no such line.
  { find . -name CTestTestfile.cmake -exec grep -H '^add_test\|^set_tests_properties' {} + || true; } |
    awk '
      {
        user = $0
        sub(/.*(add_test|set_tests_properties)\(/, "", user)
        gsub(/^\[=*\[|\]=*\].*/, "", user)
        count = split($0, words, /[ \t"=;,:()]+/)
        for (i = 1; i <= count; ++i) if (words[i] ~ /^\//) print words[i] "\tthe test " user
      }
      /add_test\(/ && match($0, / "[a-z][^"\/]*"/) {
        print "?" substr($0, RSTART + 2, RLENGTH - 3) "\tthe test " user
      }'
}

# Results of find_package, find_program, find_library and find_path, and modules of pkg-config.
cache_entries() {
  awk -F '[:=]' -v skip="$kOptionalEntries" '
    $1 !~ skip && /^[^:]*:(FILEPATH|PATH)=\// { print substr($0, index($0, "=") + 1) "\t" $1 }
  ' CMakeCache.txt
  sed -n 's/^[^:]*_MODULE_NAME:INTERNAL=//p' CMakeCache.txt | sort -u | while read -r module; do
    if folder="$(pkg-config --variable=pcfiledir "$module" 2>/dev/null)"; then
      printf '%s/%s.pc\tpkg-config %s\n' "$folder" "$module" "$module"
    fi
  done
}

# Libraries that built programs load, found as the loader finds them. readelf prints file names only
# for two or more files, so /bin/sh comes first.
loaded() {
  { find . -path ./CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so*' \) \
    -exec readelf -d /bin/sh {} + 2>/dev/null || true; } |  # some of these files are not programs
    awk '/^File: / { user = $2 } /\(NEEDED\)/ { gsub(/[][]/, "", $NF); print $NF "\t" user }' |
    awk -F '\t' '
      FILENAME != "-" { split($1, words, " "); if (!(words[1] in file)) file[words[1]] = $1; next }
      $1 in file { path = file[$1]; sub(/.*=> /, "", path); print path "\t" $2 }
    ' <(/sbin/ldconfig -p | tr -d '\t') -
}

# Used files of one build folder, the current one.
used_here() { { headers; rules; tests; cache_entries; loaded; } | first_users; }

# Used files of one target: the same lines, but only for users that Ninja needs for the target.
used_by_target() {
  ninja -t inputs "$1" >"$work/inputs"
  echo "$1" >>"$work/inputs"
  { headers; rules; } |
    awk -F '\t' 'FILENAME != "-" { wanted[$1] = 1; next } $2 in wanted' "$work/inputs" - |
    first_users
}

# Prints "PATH<TAB>USER<TAB>USERS" for each path: one of its users and the number of users.
first_users() {
  awk -F '\t' '
    !(($1, $2) in seen) {
      seen[$1, $2] = 1
      if (!($1 in user)) user[$1] = $2
      users[$1] += NF > 2 ? $3 : 1
    }
    END { for (path in user) print path "\t" user[path] "\t" users[path] }'
}

# Turns "?NAME" and "-lNAME" into file paths. Drops missing files, optional files, and files of the
# project and of the kernel.
located() {
  local path user users compiler own
  compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' CMakeCache.txt)"
  own="$(sed -n 's/^CMAKE_HOME_DIRECTORY:[A-Z]*=//p' CMakeCache.txt)"
  while IFS=$'\t' read -r path user users; do
    case "$path" in
      "$own" | "$own"/* | "$build" | "$build"/* | /dev/* | /proc/*) continue ;;
      \?*) path="$(type -P "${path#\?}")" || continue ;;
      -l*) path="$(library "$compiler" "${path#-l}")" || continue ;;
    esac
    if [[ -e "$path" ]]; then printf '%s\t%s\t%s\n' "$path" "$user" "$users"; fi
  done | awk -F '\t' -v optional="$(is_optional)" '$1 !~ optional'
}

# library COMPILER NAME: the file that -lNAME links.
library() {
  local file path
  for file in "lib$2.so" "lib$2.a"; do
    path="$("$1" -print-file-name="$file")"
    if [[ "$path" == /* ]]; then
      echo "$path"
      return
    fi
  done
  return 1
}

# --- Packages of used files -----------------------------------------------------------------------

# for_each_path COMMAND...: runs the command with all used paths, in order.
for_each_path() { cut -f 1 "$work/used" | tr '\n' '\0' | xargs -0 "$@"; }

# Adds three columns: the path without dots, the file after all links, and the alternative's name if
# the path is one. A link may belong to another package than its file: libz.so is in zlib1g-dev.
resolve() {
  paste "$work/used" <(for_each_path realpath -ms) <(for_each_path realpath -m) \
    <(for_each_path stat -c %N | sed -E "s|.* -> '/etc/alternatives/(.*)'\$|\1|; t; s|.*||")
}

# Prints "PACKAGE<TAB>PATH<TAB>USER<TAB>USERS" for files outside the closure. A link without a
# package counts as its file. An alternative is good if the closure provides one.
strangers() {
  awk -F '\t' -v optional="$kOptionalPackages" '
    FILENAME ~ /closure$/ { listed[$1] = 1; next }
    FILENAME ~ /alternatives$/ { if ($2 in good) choosable[$1] = 1; next }
    FILENAME ~ /owners$/ {
      owner[$1] = $2
      if ($2 in listed || $2 ~ optional) good[$1] = 1
      next
    }
    {
      link = $4
      file = $5
      choice = $6
      if ((link in owner) && !(link in good)) print owner[link] "\t" $1 "\t" $2 "\t" $3
      else if (!(file in good) && !(choice in choosable))
        print (file in owner ? owner[file] : "-") "\t" $1 "\t" $2 "\t" $3
    }
  ' "$work/closure" "$work/owners" "$work/alternatives" "$work/resolved" | sort -u
}

# Prints one line per file, for a few files per package.
report() {
  awk -F '\t' -v shown="$kShownFiles" '
    function close_package() {
      if (files > shown) printf "  and %d more files of %s\n", files - shown, package
    }
    $1 != package { close_package(); package = $1; files = 0 }
    ++files <= shown {
      printf "%s: %s, used by %s", $2, package == "-" ? "of no package" : "of " package, $3
      print ($4 > 1 ? " and " $4 - 1 " more" : "")
    }
    END { close_package() }'
}

# --- Main -----------------------------------------------------------------------------------------
usage() { die "usage: packages_test.sh [--root FOLDER] BUILD [TARGET SECTION...]"; }

skip() {
  say "PackagesTest is skipped: $1"
  exit "$kSkipped"
}

# CI must not skip the test for missing package lists, because a command can fetch them.
check_machine() {
  local reason
  reason="$(why_unknown)"
  if [[ -z "$reason" ]]; then return 0; fi
  if [[ "${CI:-}" == true ]] && command -v apt-get >/dev/null; then die "PackagesTest: $reason"; fi
  skip "$reason"
}

# Build folders are the named one and those inside it that a test configured.
collect() {
  local folder
  if [[ -n "$target" ]]; then
    (cd "$build" && used_by_target "$target" | located)
    return
  fi
  find "$build" -name CMakeFiles -prune -o -name build.ninja -printf '%h\n' |
    while read -r folder; do (cd "$folder" && used_here | located); done | first_users
}

take_root "$@"
set -- "${arguments[@]}"
[[ $# -eq 1 || $# -ge 3 ]] || usage
build="$(cd "$1" && pwd)"
target="${2:-}"
sections=("${@:3}")
if [[ -z "$target" ]]; then sections=(run rtl mpi package test style bench); fi
check_machine
[[ -f "$build/build.ninja" ]] || skip "$build was not configured for Ninja"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
closure "$build" "${sections[@]}" >"$work/closure" ||
  die "apt does not know some package of $weft_root/tools/packages.txt"
collect >"$work/used"
resolve >"$work/resolved"
alternatives >"$work/alternatives"
{ cut -f 4,5 "$work/resolved" | tr '\t' '\n'; cut -f 2 "$work/alternatives"; } | sort -u |
  owners >"$work/owners"
strangers >"$work/strangers"
if [[ -s "$work/strangers" ]]; then
  report <"$work/strangers"
  die "tools/packages.txt (${sections[*]}) leads to none of these packages"
fi
say "$(wc -l <"$work/used") files, all of packages that tools/packages.txt (${sections[*]})" \
  "leads to"
