# Shared by the scripts of this folder, which source it: the packages that a bare Debian machine has
# after the listed ones were installed, and the packages to which files belong.
# shellcheck shell=bash

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/setup.sh"

# What the README asks for, and apt, which every Debian has although nothing depends on it.
readonly kAsked=(git ca-certificates apt)

# take_root "$@": reads the option --root FOLDER, which means the list FOLDER/tools/packages.txt.
# The other arguments go into `arguments`.
take_root() {
  if [[ $# -ge 2 && "$1" == --root ]]; then
    weft_root="$(cd "$2" && pwd)"
    shift 2
  fi
  # shellcheck disable=SC2034  # the scripts that source this read it
  arguments=("$@")
}

# Why the closure cannot be computed on this machine; nothing if it can.
why_unknown() {
  local tool
  for tool in dpkg-query apt-get; do
    if ! command -v "$tool" >/dev/null; then
      echo "there is no $tool here"
      return
    fi
  done
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    echo "apt has no package lists here; apt-get update fetches them"
  fi
}

# closure FOLDER SECTION...: the packages that these sections and a bare machine lead to. apt needs
# seconds for it, so the answer is kept in FOLDER, in one file for each list. The file's first line
# changes with apt's package lists.
closure() {
  local cache lists packages
  local -a wanted
  mapfile -t wanted < <(packages_of "${@:2}"; bare_packages)
  cache="$1/closure-$(printf '%s\n' "${wanted[@]}" | cksum | tr ' ' -)"
  lists="$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -printf '%f %s %t\n' |
    sort | cksum)"
  if [[ ! -f "$cache" || "$(head -n 1 "$cache")" != "$lists" ]]; then
    packages="$(would_install "${wanted[@]}")" || return 1
    printf '%s\n' "$lists" "$packages" >"$cache.$$"
    mv "$cache.$$" "$cache"  # at once, because two tests may write it
  fi
  tail -n +2 "$cache"
}

# debootstrap's variant minbase: what is essential or required.
bare_packages() {
  printf '%s\n' "${kAsked[@]}"
  # shellcheck disable=SC2016  # dpkg-query fills these in
  dpkg-query -W -f='${Essential} ${Priority} ${Package}\n' |
    awk '$1 == "yes" || $2 == "required" { print $3 }'
}

# would_install PACKAGE...: what apt would fetch for them onto a machine that has nothing. Neither
# root nor network is needed. It has no cache, so that it names also what was fetched before. (A
# simulation, apt-get -s, gives the same packages and takes three times as long.)
would_install() {
  local uris
  uris="$(apt-get -qq --print-uris -o Dir::State::status=/dev/null -o Dir::Cache=/nonexistent \
    --no-install-recommends install "$@")" || return 1
  awk '{ sub(/_.*/, "", $2); print $2 }' <<<"$uris" | sort -u
}

# owners: for each path of stdin that a package has, "PATH<TAB>PACKAGE"; a line for each of them.
# /usr/lib and /lib are one folder, but packages still name both; the same holds for bin and sbin.
owners() {
  awk '
    function plain(path) {
      return path ~ /^\/usr\/(bin|sbin|lib|lib32|lib64|libx32)\// ? substr(path, 5) : path
    }
    FNR == 1 && FILENAME != "-" {
      package = FILENAME
      sub(/.*\//, "", package)
      sub(/(:[^:]*)?\.list$/, "", package)
    }
    FILENAME == "-" { asked[plain($0)] = asked[plain($0)] "\n" $0; next }
    plain($0) in asked {
      count = split(substr(asked[plain($0)], 2), paths, "\n")
      for (i = 1; i <= count; ++i) print paths[i] "\t" package
    }
  ' - /var/lib/dpkg/info/*.list
}

# alternatives: "NAME<TAB>FILE" of each file that an administrator may choose as
# /etc/alternatives/NAME, the best first. The third line of dpkg's file about NAME begins the names
# that follow this choice, each with its link. After an empty line, each choice has a line for its
# file, one for its priority, and one for the file of each of those names.
alternatives() {
  awk '
    FNR == 1 {
      name = FILENAME
      sub(/.*\//, "", name)
      followers = choices = line = 0
    }
    FNR <= 2 { next }
    !choices && $0 == "" { choices = 1; next }
    !choices { if (FNR % 2) follower[++followers] = $0; next }
    { part = line++ % (2 + followers) }
    part == 0 { file = $0 }
    part == 1 { priority = $0; print priority "\t" name "\t" file }
    part > 1 && $0 != "" { print priority "\t" follower[part - 1] "\t" $0 }
  ' /var/lib/dpkg/alternatives/* | sort -rn | cut -f 2,3
}
