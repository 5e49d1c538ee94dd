#!/usr/bin/env bash
# Builds weft and its arrays for --engine rtl, and packs them as a Debian package, build/weft_*.deb.
#   tools/package.sh         the package
#   tools/package.sh --try   then installs it in a new, minimal Debian and runs it there (as root)
set -euo pipefail
# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[[ $# -eq 0 || ($# -eq 1 && "$1" == --try) ]] || usage

take_lock
install_packages run rtl package
configure run rtl package
build weft rtl
rm -f "$weft_root"/build/weft_*.deb
quietly "packing" cpack -G DEB --config "$weft_build/CPackConfig.cmake" -B "$weft_root/build"
rm -rf "$weft_root/build/_CPack_Packages"
package="$(echo "$weft_root"/build/weft_*.deb)"
say "wrote $package; install it with: apt install $package"
release_lock
[[ $# -eq 1 ]] || exit 0

command -v debootstrap >/dev/null || die "--try needs debootstrap: apt-get install debootstrap"
root="$(mktemp -d)"
trap 'rm -rf --one-file-system "$root"' EXIT
say "making a minimal Debian in $root"
quietly "debootstrap" debootstrap --variant=minbase bookworm "$root"
cp "$package" "$root/weft.deb"
quietly "installing the package" chroot "$root" apt-get install --no-install-recommends -qq -y ./weft.deb
quietly "weft matmul" chroot "$root" weft matmul 64 64 64
quietly "weft run" chroot "$root" weft run lenet5 --engine fast
quietly "weft with --engine timed" chroot "$root" weft run lenet5 --machine tiny --engine timed
quietly "weft with --engine rtl" chroot "$root" weft matmul 10 9 7 --machine tiny --engine rtl --lockstep
say "the package installs and runs in a minimal Debian"
