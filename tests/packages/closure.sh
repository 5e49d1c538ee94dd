# Shared by the scripts of this folder, which source it. It computes the packages on a bare Debian
# machine after the listed ones are installed, and finds the package of a file.
# shellcheck shell=bash

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/setup.sh"

# Packages that the README asks for, and apt: every Debian has it, although nothing depends on it.
readonly kAsked=(git ca-certificates apt)

# take_root "$@": reads the option --root FOLDER, which selects the list FOLDER/tools/packages.txt.
# Puts the other arguments into `arguments`.
take_root() {
  if [[ $# -ge 2 && "$1" == --root ]]; then
    weft_root="$(cd "$2" && pwd)"
    shift 2
  fi
  # shellcheck disable=SC2034  # the scripts that source this read it
  arguments=("$@")
}

# Prints why this machine cannot compute the closure; prints nothing if it can.
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

# closure FOLDER SECTION...: packages of these sections and of a bare machine, with dependencies.
# apt needs seconds for this, so FOLDER caches the answer, one file per list. The first line of the
# file changes with apt's package lists.
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
    mv "$cache.$$" "$cache"  # atomic, because two tests may write it
  fi
  tail -n +2 "$cache"
}

# The packages of debootstrap's variant minbase: the essential and the required ones.
bare_packages() {
  printf '%s\n' "${kAsked[@]}"
  # shellcheck disable=SC2016  # dpkg-query fills these in
  dpkg-query -W -f='${Essential} ${Priority} ${Package}\n' |
    awk '$1 == "yes" || $2 == "required" { print $3 }'
}

# would_install PACKAGE...: what apt would fetch to install them on an empty machine. It needs
# neither root nor network. It uses no cache, so that packages fetched earlier are named too. (A
# simulation with apt-get -s gives the same packages but takes three times as long.)
would_install() {
  local uris
  uris="$(apt-get -qq --print-uris -o Dir::State::status=/dev/null -o Dir::Cache=/nonexistent \
    --no-install-recommends install "$@")" || return 1
  awk '{ sub(/_.*/, "", $2); print $2 }' <<<"$uris" | sort -u
}

# owners: prints "PATH<TAB>PACKAGE" for each package that has a path of stdin. /usr/lib and /lib are
# one folder, but packages use both names; so do bin and sbin.
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

# alternatives: prints "NAME<TAB>FILE" for each file that may become /etc/alternatives/NAME, best
# first. In dpkg's file about NAME, the names that follow this choice begin at line 3, each with its
# link. After an empty line, each choice has one line for its file, one for its priority, and one
# for the file of each following name.
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
