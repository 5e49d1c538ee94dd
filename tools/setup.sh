# The scripts of this folder source this file: it installs what is missing, configures and builds.
# All its messages go to stderr, because stdout belongs to the program. It reports a failure in one
# line; the next run continues where this one stopped.
# shellcheck shell=bash

weft_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
weft_build="$weft_root/build/release"
weft_log="$weft_root/build/setup.log"

say() { printf 'weft: %s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# --- One at a time ---------------------------------------------------------------------------------
# Two runs must not configure and build in one folder at once. The lock belongs to the open file, so it
# ends with the last process that has the file open, even if that process is killed.
take_lock() {
  if ! mkdir -p "$weft_root/build" 2>/dev/null || ! { : >>"$weft_root/build/lock"; } 2>/dev/null; then
    die "cannot write to $weft_root/build: no space, or not your folder"
  fi
  exec {weft_lock}>>"$weft_root/build/lock"
  if flock --nonblock "$weft_lock"; then return 0; fi
  say "another run is installing or building here; waiting for it"
  flock "$weft_lock"
}

release_lock() { exec {weft_lock}>&-; }

# --- Commands that print only when they fail ---------------------------------------------------------
# logged COMMAND...: runs it; its output goes only to the log.
logged() { "$@" >>"$weft_log" 2>&1 </dev/null; }

# quietly WHAT COMMAND...: runs the command; if it fails, says in one line that WHAT failed and why.
# If explain() does not know the reason, the end of the log comes first.
quietly() {
  local what="$1" reason
  shift
  { : >"$weft_log"; } 2>/dev/null || die "cannot write $weft_log: no space, or not your folder"
  if logged "$@"; then return 0; fi
  reason="$(explain)"
  if [[ -z "$reason" ]]; then
    tail -n 200 "$weft_log" >&2
    reason="the reason is above, and in $weft_log"
  fi
  die "$what failed: $reason"
}

# Prints the reason of a failure if the log shows a known one. A full disk can cut the log short, so
# this checks the disk as well.
explain() {
  local package
  if grep -qiE 'no space left|enough free space' "$weft_log" || disk_is_full; then
    echo "no space left on the disk; free some, then run this again"
    return
  fi
  package="$(sed -nE "s/^E: (Unable to locate package |Package ')([^' ]+).*/\2/p" "$weft_log" |
    sort -u | paste -sd, | sed 's/,/, /g')"
  if [[ -n "$package" ]]; then
    echo "this machine's package sources do not have $package; Weft is made for Debian 12"
  elif grep -qE 'Could not resolve|Temporary failure resolving|Could not connect|Cannot initiate the connection|Network is unreachable|Failed to fetch' "$weft_log"; then
    echo "the package mirror cannot be reached; check the network, then run this again"
  elif grep -qE '^sudo: ' "$weft_log"; then
    echo "$(grep -m1 -E '^sudo: ' "$weft_log"); run this as root, or as a user who may use sudo"
  fi
}

disk_is_full() {
  local free
  free="$(df --output=avail -k "$weft_root/build" | tail -n 1)"
  [[ "$free" -lt 1024 ]]
}

# --- Packages --------------------------------------------------------------------------------------
# packages_of SECTION...: the names in these sections of packages.txt, one per line.
packages_of() {
  local section
  for section in "$@"; do
    sed -n "/^\[$section\]/,/^\[/{/^\[/d;s/[[:space:]]*#.*//;/^[[:space:]]*$/d;p}" \
      "$weft_root/tools/packages.txt"
  done
}

# missing_packages SECTION...: the packages that dpkg does not list as installed, one per line.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(packages_of "$@")
  if [[ ${#wanted[@]} -eq 0 ]]; then return 0; fi
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# install_packages SECTION...: installs missing packages on Debian and its derivatives. On other systems
# the tools must be there already.
install_packages() {
  if [[ "${WEFT_INSTALL:-}" == no ]]; then return 0; fi
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    check_tools
    return
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then return 0; fi
  if [[ "$(id -u)" -ne 0 ]] && ! command -v sudo >/dev/null; then
    die "these packages are missing and there is no sudo to install them; as root:" \
      "apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  # The README tells how to remove them. Recorded first, because an installation may end half done.
  printf '%s\n' "${missing[@]}" >>"$weft_root/build/installed_packages"
  quietly "installing packages" apt_install "${missing[@]}"
}

# Apt's lists may be old or empty, so they are updated first. A failed update matters only if the
# installation then fails.
apt_install() {
  local tries
  as_root dpkg --configure -a  # finishes an interrupted installation
  for ((tries = 0; tries < 150; ++tries)); do
    as_root apt-get update && break
    if ! tail -n 3 "$weft_log" | grep -q 'Could not get lock'; then break; fi
    sleep 2  # another installation has locked the lists
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    --fix-broken -o DPkg::Lock::Timeout=600 "$@"
}

# need_package_lists: fetches apt's lists if there are none. PackagesTest asks apt for the dependencies
# of the listed packages.
need_package_lists() {
  if ! command -v apt-get >/dev/null || compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    return 0
  fi
  quietly "fetching package lists" as_root apt-get update
}

check_tools() {
  local tool
  for tool in c++ cmake ninja pkg-config; do
    if command -v "$tool" >/dev/null; then continue; fi
    die "$tool not found; install the tools of the packages in tools/packages.txt, then try again"
  done
}

# --- Building --------------------------------------------------------------------------------------
# configure SECTION...: configures for these sections of packages.txt, and for those of earlier calls.
# Ninja reruns CMake when a CMakeLists.txt changes, but not when the presets change or packages are
# installed. `test` makes a missing tool an error.
configure() {
  local stamp="$weft_build/configured_for" section
  local -a sections=("$@") options=()
  if [[ -f "$stamp" && -f "$weft_build/build.ninja" ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$weft_root" "$weft_build/CMakeCache.txt"; then
    mapfile -t -O "${#sections[@]}" sections <"$stamp"
    local changed=""
    for section in "$@"; do grep -qxF "$section" "$stamp" || changed=yes; done
    if [[ -z "$changed" && ! "$weft_root/CMakePresets.json" -nt "$stamp" ]]; then return 0; fi
  else
    options+=(--fresh)
  fi
  if [[ " ${sections[*]} " == *" test "* ]]; then options+=(-DWEFT_REQUIRE_TOOLS=ON); fi
  # Other compilers may give warnings that GCC 12 does not give; these must not stop a user's build.
  if [[ "$(c++ -dumpversion)" != 12* ]]; then options+=(-DWEFT_WERROR=OFF); fi
  say "configuring $weft_build"
  rm -f "$stamp"
  cd "$weft_root" && quietly "configuring" cmake --preset release "${options[@]}"
  printf '%s\n' "${sections[@]}" | sort -u >"$stamp"
}

# has_target TARGET: succeeds if the build has this target.
has_target() { ninja -C "$weft_build" -t query "$1" >/dev/null 2>&1; }

# build TARGET...
build() { quietly "building" cmake --build "$weft_build" --target "$@"; }
