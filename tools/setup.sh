# Shared by run.sh and test.sh, which source it: installs what is missing, configures, builds.
# Everything it says goes to stderr, so that stdout belongs to the program alone.
# shellcheck shell=bash

weft_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
weft_build="$weft_root/build/release"

say() { printf 'weft: %s\n' "$*" >&2; }

# Runs a command with its output kept in a log file, shown only if the command fails.
quietly() {
  local log="$weft_root/build/setup.log"
  mkdir -p "$weft_root/build"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  tail -n 200 "$log" >&2
  say "failed: $*"
  return 1
}

# The package names of packages.txt, one a line.
wanted_packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$weft_root/tools/packages.txt"; }

# Those of them that dpkg does not know as installed, one a line.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(wanted_packages)
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Debian and its relatives: apt-get what is missing. Elsewhere: the tools must already be there.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    check_tools
    return
  fi
  local -a missing
  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} -eq 0 ]]; then return 0; fi
  say "installing ${missing[*]}"
  quietly as_root apt-get update
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

check_tools() {
  local tool
  for tool in c++ cmake ninja pkg-config; do
    if command -v "$tool" >/dev/null; then continue; fi
    say "$tool not found; install what these Debian packages bring, then try again:"
    wanted_packages >&2
    return 1
  done
}

# Ninja itself re-runs CMake when a CMakeLists.txt changed, but it does not watch the presets.
configure() {
  local cache="$weft_build/CMakeCache.txt"
  if [[ -f "$weft_build/build.ninja" && ! "$weft_root/CMakePresets.json" -nt "$cache" ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$weft_root" "$cache"; then
    return 0
  fi
  say "configuring $weft_build"
  (cd "$weft_root" && quietly cmake --preset release --fresh)
  touch "$cache"
}

# build TARGET...
build() {
  if [[ ! -x "$weft_build/cli/weft" ]]; then say "building; the first time takes minutes"; fi
  quietly cmake --build "$weft_build" --target "$@"
}
