#!/usr/bin/env bash
# Tries the README on a bare Debian 12: makes a minimal root, clones this checkout's HEAD into it,
# and runs tools/run.sh and tools/test.sh there. Prints what each took. Needs root and debootstrap.
#   tools/cold.sh                      makes the root in a temporary folder and removes it at the end
#   tools/cold.sh FOLDER               makes the root in FOLDER; uses and keeps a Debian already there
#   tools/cold.sh --user               works as a user who may use sudo; otherwise as root
#   tools/cold.sh --run-only           leaves out tools/test.sh
#   tools/cold.sh --keep               keeps the root
#   tools/cold.sh --mirror URL         takes all packages from URL
# Exit code 0: all commands succeeded; 1: one failed, and the end of its output is shown; 2: wrong
# arguments.
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

readonly kShownLines=40    # last lines of a failed command
readonly kMachinesRuns=20  # of `weft machines`, for the median

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# --- Outside: makes the root, and removes it however the run ends ---------------------------------

main() {
  keep="" login=root run_only="" mirror="" root="" child=""
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --user) login=weft ;;
      --keep) keep=yes ;;
      --run-only) run_only=yes ;;
      --mirror) [[ $# -ge 2 ]] || usage; mirror="$2"; shift ;;
      -*) usage ;;
      *) [[ -z "$root" ]] || usage; root="$1" ;;
    esac
    shift
  done
  check
  choose_root
  trap clean_up EXIT
  trap 'exit 130' INT TERM HUP
  # The mounts and all processes belong to new namespaces and end with them. A background job, because
  # the shell handles a signal at once only while it waits for one.
  unshare --mount --propagation private --pid --fork --kill-child \
    "${BASH_SOURCE[0]}" inside "$root" "$login" "$run_only" "$mirror" &
  child=$!
  wait "$child"
}

check() {
  [[ "$(id -u)" -eq 0 ]] || die "cold.sh makes a root and changes to it; run it as root"
  local tool
  for tool in debootstrap unshare git; do
    command -v "$tool" >/dev/null || die "$tool not found; install the Debian package of this name"
  done
  checkout rev-parse HEAD >/dev/null 2>&1 || die "$weft_root is not a git checkout"
  if [[ -n "$(checkout status --porcelain)" ]]; then
    say "there are uncommitted changes; the bare machine gets HEAD without them"
  fi
}

# Runs git in this checkout, which may belong to a user other than root.
checkout() {
  GIT_CONFIG_GLOBAL=<(printf '[safe]\n\tdirectory = *\n') git -C "$weft_root" "$@"
}

# A folder that already contained something is never removed.
choose_root() {
  if [[ -z "$root" ]]; then
    root="$(mktemp -d "${TMPDIR:-/var/tmp}/weft-cold.XXXXXX")"
    # Packages run programs as users of their own, which must find their files below the root.
    chmod 755 "$root"
    return
  fi
  mkdir -p "$root"
  root="$(cd "$root" && pwd -P)"
  [[ "$root" != / ]] || die "/ is this machine, not a bare one"
  if [[ -n "$(ls -A "$root")" ]]; then
    [[ -f "$root/etc/debian_version" ]] || die "$root is not empty and not a Debian"
    keep=yes
  fi
}

clean_up() {
  trap - EXIT
  if [[ -n "$child" ]]; then
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  if [[ -n "$keep" ]]; then
    say "the root stays in $root"
    return
  fi
  # A killed process may need a moment to end.
  rm -rf --one-file-system "$root" 2>/dev/null || { sleep 2; rm -rf --one-file-system "$root"; }
}

# --- Inside: the bare machine ---------------------------------------------------------------------

inside() {
  root="$1" login="$2" run_only="$3" mirror="$4"
  home="/$login"
  if [[ "$login" != root ]]; then home="/home/$login"; fi
  work="$root/tmp/cold"
  rows=()
  make_debian
  mount_kernel
  name_hosts
  make_user
  forget_downloads
  clone
  try
}

make_debian() {
  if [[ -f "$root/etc/debian_version" ]]; then return 0; fi
  local packages=git,ca-certificates output
  if [[ "$login" != root ]]; then packages+=,sudo; fi
  say "making a bare Debian 12 in $root"
  output="$(debootstrap --variant=minbase "--include=$packages" bookworm "$root" \
    ${mirror:+"$mirror"} 2>&1)" && return 0
  tail -n "$kShownLines" <<<"$output" >&2
  die "debootstrap failed"
}

# Mounts the kernel's file systems. /dev gets only the files that programs may use, and no disks.
mount_kernel() {
  local name
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for name in null zero full random urandom tty; do
    : >"$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  for name in stdin:0 stdout:1 stderr:2; do ln -s "fd/${name#*:}" "$root/dev/${name%:*}"; done
}

name_hosts() {
  rm -f "$root/etc/resolv.conf"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  printf '127.0.0.1 localhost %s\n::1 localhost ip6-localhost\n' "$(uname -n)" >"$root/etc/hosts"
}

make_user() {
  if [[ "$login" == root ]]; then return 0; fi
  if [[ ! -x "$root/usr/bin/sudo" ]]; then
    say "installing sudo"
    as_login root 'apt-get update && apt-get install -y --no-install-recommends sudo' \
      >/dev/null 2>&1 || die "cannot install sudo"
  fi
  if [[ ! -d "$root$home" ]]; then chroot "$root" useradd -m -s /bin/bash "$login"; fi
  echo "$login ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$login"
}

# Deletes the downloads of debootstrap, so that only those of the commands are counted.
forget_downloads() {
  find "$root/var/cache/apt" "$root/var/lib/apt/lists" -type f -delete
}

clone() {
  rm -rf "$work" "${root:?}$home/weft"
  mkdir "$work"
  printf '[safe]\n\tdirectory = *\n' >"$work/gitconfig"
  GIT_CONFIG_GLOBAL="$work/gitconfig" git clone --quiet --no-hardlinks "$weft_root" \
    "$root$home/weft" || die "cannot clone $weft_root"
  chroot "$root" chown -R "$login:" "$home/weft"
}

# as_login LOGIN COMMAND: runs it in a login shell, without this machine's environment.
as_login() {
  env -i TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" su - "$1" -c "export LANG=C.UTF-8; $2" </dev/null
}

# --- Measurements ---------------------------------------------------------------------------------

# bytes PATH...: the size of all files below these paths.
bytes() { find "$@" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'; }

package_bytes() { bytes "$root/var/cache/apt/archives"; }

list_bytes() { bytes "$root/var/lib/apt/lists"; }

# Leaves out mounts, downloads and the checkout.
installed_bytes() {
  du -s --one-file-system -B1 --exclude="$root/var/cache/apt" --exclude="$root/var/lib/apt/lists" \
    --exclude="$root/tmp" --exclude="$root$home/weft" "$root" | cut -f 1
}

megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.0f MB", bytes / 1e6 }'; }

minutes() {
  awk -v s="$1" 'BEGIN { if (s < 100) printf "%.1f s", s; else printf "%.1f min", s / 60 }'
}

# row NAME WALL CPU PACKAGES LISTS INSTALLED: adds a row to the table that is printed at the end.
row() { rows+=("$(printf '%-14s %9s %9s %9s %9s %10s' "$@")"); }

# step NAME COMMAND: runs it in the clone and adds its row; if it fails, shows its last lines.
step() {
  local name="$1" status=0 packages lists cpu TIMEFORMAT='%R %U %S'
  local -a taken
  packages="$(package_bytes)" lists="$(list_bytes)"
  say "running $name"
  { time as_login "$login" "cd weft && $2" >"$work/log" 2>&1 || status=$?; } 2>"$work/times"
  read -ra taken < <(tail -n 1 "$work/times")
  cpu="$(awk '{ print $2 + $3 }' <<<"${taken[*]}")"
  row "$name" "$(minutes "${taken[0]}")" "$(minutes "$cpu")" \
    "$(megabytes "$(($(package_bytes) - packages))")" "$(megabytes "$(($(list_bytes) - lists))")" \
    "$(megabytes "$(installed_bytes)")"
  if [[ "$status" -eq 0 ]]; then return 0; fi
  tail -n "$kShownLines" "$work/log" >&2
  say "$name failed with exit code $status; above are its last lines"
  return 1
}

# Prints the median time of `weft machines`, the command that does least.
# shellcheck disable=SC2016  # the shell of the bare machine expands these
measure_machines() {
  as_login "$login" 'cd weft
    for ((i = 0; i < '"$kMachinesRuns"'; ++i)); do
      start=$EPOCHREALTIME
      build/release/cli/weft machines >/dev/null || exit 1
      end=$EPOCHREALTIME
      echo $((${end/./} - ${start/./}))
    done' | sort -n |
    awk '{ us[NR] = $1 }
      END { printf "%.1f ms", (us[int((NR + 1) / 2)] + us[int(NR / 2) + 1]) / 2000 }'
}

try() {
  local status=0 median
  row "" wall CPU packages lists installed
  row "bare machine" - - - - "$(megabytes "$(installed_bytes)")"
  step tools/run.sh ./tools/run.sh || status=1
  if [[ "$status" -eq 0 ]]; then
    median="$(measure_machines)" || { status=1; say "weft machines failed"; }
  fi
  if [[ "$status" -eq 0 && -z "$run_only" ]]; then
    step tools/test.sh 'CI=true ./tools/test.sh' || status=1
  fi
  printf '%s\n' "${rows[@]}"
  if [[ -n "${median:-}" ]]; then
    echo "weft machines  $median, the median of $kMachinesRuns runs"
  fi
  rm -rf "$work"
  return "$status"
}

if [[ "${1:-}" == inside ]]; then inside "${@:2}"; else main "$@"; fi
