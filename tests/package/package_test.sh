#!/usr/bin/env bash
# package_test.sh manual|completion|deb WEFT BUILD FOLDER: checks what is made from the option definitions. The
# options that are expected come from the text of --help, not from the generator.
set -euo pipefail
part="$1" weft="$2" build="$3" work="$4/$1"
rm -rf "$work"
mkdir -p "$work"

fail() {
  printf 'package_test: %s\n' "$*" >&2
  exit 1
}

commands() { "$weft" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'; }

# The words of each form of a command whose --help differs.
forms() {
  echo ""
  if [[ "$1" == explain ]]; then printf '%s\n' conv "--layer X" "X --sweep batch=1..2" --why; fi
}

# Long options of all forms of a command, from the lines of --help that begin with one.
options() {
  forms "$1" | while read -r form; do
    # shellcheck disable=SC2086  # a form is several words
    "$weft" "$1" $form --help
  done | sed -nE 's/^  (-[a-z] \[ )?(--[a-z][a-z0-9._-]*).*/\2/p' | sort -u
}

expect_commands() {
  [[ "$(commands | wc -l)" -ge 14 ]] || fail "--help lists only: $(commands | tr '\n' ' ')"
  [[ "$(options run | wc -l)" -ge 40 ]] || fail "run --help lists only: $(options run | tr '\n' ' ')"
}

check_manual() {
  "$weft" help --man-dir "$work"
  for page in "$work"/*.1; do
    command -v groff >/dev/null || exit 77
    warnings="$(groff -man -ww -z "$page" 2>&1)"
    [[ -z "$warnings" ]] || fail "$page: $warnings"
  done
  all="$(groff -man -Tascii -P-cbou -rLL=400n "$work/weft.1")"
  for command in $(commands); do
    page="$work/weft-$command.1"
    [[ -f "$page" ]] || fail "no page of $command"
    "$weft" help "$command" --man | cmp - "$page" || fail "$page differs from help --man"
    text="$(groff -man -Tascii -P-cbou -rLL=400n "$page" 2>/dev/null)"
    if grep -qE '^ {14}[^.]* [A-Z][a-z]+ [a-z]+ [^.]*\.$' <<<"$text"; then fail "$page: a sentence runs into another"; fi
    for option in $(options "$command"); do
      grep -qE -- "^ +(-[a-z], )?$option( |$)" <<<"$text" || fail "$page does not list $option"
    done
    grep -qF -- "weft-$command(1)" <<<"$all" || fail "weft.1 does not list $command"
  done
}

# What bash would offer after these words; the last one may be empty.
offered() {
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft; printf "%s\n" "${COMPREPLY[@]}"' \
    "$work/bash" "$@"
}

expect_offered() {
  local wanted="$1"
  shift
  grep -qxF -- "$wanted" <<<"$(offered "$@")" || fail "bash does not offer $wanted after: $*"
}

expect_nothing_offered() { [[ -z "$(offered "$@")" ]] || fail "bash offers words after: $*"; }

# Values that have names, as --help and the documentation of the option list them.
check_values() {
  expect_offered cpu weft run lenet5 --backend ""
  expect_offered sim weft train lenet5 --backend ""
  expect_offered timed weft train lenet5 --engine ""
  if offered weft train lenet5 --engine "" | grep -q analytic; then fail "train has no engine analytic"; fi
  for table in $("$weft" machines --energy | sed -n 's/^\([0-9]*nm\) .*/\1/p') own a-file.json; do
    for command in run matmul explain sweep; do expect_offered "$table" weft "$command" --energy ""; done
  done
  for device in tpu-v2 cpu cuda h100 a-file.json; do expect_offered "$device" weft compare lenet5 --with ""; done
  expect_offered tpu-v1,a100 weft compare lenet5 --with tpu-v1,a
  for type in fp32 tf32 bf16 fp16 int8; do expect_offered "$type" weft compare lenet5 --dtype ""; done
  expect_offered float32 weft train lenet5 --dtype f
  for method in sgd adam adamw; do expect_offered "$method" weft train lenet5 --optimizer ""; done
  for how in best packed apart; do expect_offered "$how" weft conv --taps ""; done
  expect_offered a-file.json weft train lenet5 --save a-
  for option in --input-type -i; do
    for kind in conv gemm; do expect_offered "$kind" weft scalesim "$option" ""; done
    if offered weft scalesim "$option" "" | grep -q lenet5; then fail "bash offers networks after $option"; fi
  done
  for option in -c -t -o; do expect_offered a-file.json weft scalesim "$option" ""; done
  expect_nothing_offered weft scalesim ""
  if offered weft sweep --m | grep -qx -- --machine-out; then fail "a sweep has no machine to write"; fi
  grep -qF 'scalesim:--input-type|scalesim:-i) compadd -- conv gemm;' zsh || fail "zsh: no values of -i"
  grep -qF "compset -P '*,'; compadd -- tiny " zsh || fail "zsh: no devices of --with"
  grep -qF -- "-s i -l input-type -x -a 'conv gemm'" fish || fail "fish: no values of -i"
  grep -qF -- "-l with -r -F -a '(__fish_append , tiny " fish || fail "fish: no devices of --with"
}

# bash gives --option=value as three words, or as one without = in COMP_WORDBREAKS.
check_words() {
  expect_offered analytic weft run lenet5 --engine = an
  expect_offered analytic weft run lenet5 --engine =
  expect_offered --engine=analytic weft run lenet5 --engine=an
  touch "two words.json" "two words.cfg"
  [[ "$(offered weft run lenet5 --json "two words.j")" == "two words.json" ]] || fail "bash splits names of files"
  [[ "$(offered weft scalesim -c two)" == "two words.cfg"$'\n'"two words.json" ]] || fail "bash splits names of files"
}

check_completion() {
  for shell in bash zsh fish; do
    "$weft" completion "$shell" >"$work/$shell"
    if command -v "$shell" >/dev/null; then "$shell" -n "$work/$shell"; fi
  done
  cd "$work"
  touch a-file.json
  for command in $(commands); do
    expect_offered "$command" weft ""
    offered weft "$command" -- >bash_options
    sed -n "/^      $command) options=(/,/^      ) ;;/p" zsh >zsh_options
    grep -F "__fish_seen_subcommand_from $command'" fish >fish_options || fail "fish: no $command"
    for option in $(options "$command"); do
      grep -qxF -- "$option" bash_options || fail "bash does not offer $option of $command"
      grep -qF -- "'$option:" zsh_options || fail "zsh does not offer $option of $command"
      grep -qF -- " -l ${option#--} " fish_options || fail "fish does not offer $option of $command"
    done
  done
  for network in lenet5 resnet18; do expect_offered "$network" weft run ""; done
  for preset in tiny tpu-v1; do
    expect_offered "$preset" weft matmul 4 4 4 --machine ""
    expect_offered "$preset" weft machines ""
  done
  expect_offered rtl weft run lenet5 --engine r
  expect_offered off weft conv --array.double_buffer ""
  expect_offered a-file.json weft run lenet5 --json a-
  expect_offered a-file.json weft explain --why a-
  expect_offered zsh weft completion ""
  expect_nothing_offered weft matmul 4
  check_values
  check_words
  for shell in bash zsh fish; do
    "$weft" completion --help | grep -q "weft completion $shell" || fail "--help does not install $shell"
  done
  if "$weft" completion tcsh 2>/dev/null; then fail "tcsh is not refused"; fi
}

check_deb() {
  command -v dpkg-shlibdeps >/dev/null || exit 77
  cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
  deb="$(echo "$work"/weft_*.deb)"
  list="$(dpkg-deb --fsys-tarfile "$deb" | tar -t)"
  for file in bin/weft lib/weft/machine.so lib/weft/onnx.so share/bash-completion/completions/weft \
    share/zsh/vendor-completions/_weft share/fish/vendor_completions.d/weft.fish share/man/man1/weft.1.gz \
    share/doc/weft/THIRD_PARTY.md share/doc/weft/CHANGELOG.md share/doc/weft/examples/sweep.ini \
    share/doc/weft/examples/sweep.sbatch share/doc/weft/examples/imports/serial.cfg $(commands | sed 's|.*|share/man/man1/weft-&.1.gz|'); do
    grep -qxF "./usr/$file" <<<"$list" || fail "the package has no $file"
  done
  for file in "$build"/lib/weft/rtl/*.so; do
    [[ ! -e "$file" ]] || grep -qxF "./usr/lib/weft/rtl/$(basename "$file")" <<<"$list" || fail "no $file"
  done
  if grep -qE '\.(a|h|cmake)$' <<<"$list"; then fail "the package has files for developers"; fi
  # libhwy is loaded, not linked.
  depends="$(dpkg-deb -f "$deb" Depends)"
  for package in libc6 libfmt libsystemc libonnx libsqlite3 libhwy libboost-program-options; do
    grep -q "$package" <<<"$depends" || fail "Depends has no $package: $depends"
  done
  dpkg-deb -x "$deb" "$work/unpacked"
  "$work/unpacked/usr/bin/weft" matmul 4 4 4 --machine tiny --engine stepped --quiet
  # A rank says what a user of the package can do: the package has neither MPI nor tools/.
  said="$(OMPI_COMM_WORLD_RANK=0 "$work/unpacked/usr/bin/weft" sweep matmul 4 4 4 2>&1 || true)"
  [[ "$said" == *"without MPI; run tools/mpi.sh in Weft's sources"* ]] || fail "under mpirun: $said"
  rm -rf "$work"
}

expect_commands
"check_$part"
