#!/bin/sh
# Named by CARGO_TARGET_<TRIPLE>_RUNNER: cargo starts the programs that it has built by it. A program of tests gets the names
# of those that RETRIAL_ONLY asks for, runs them one after another, and tells of each as the preloaded hook reads it
# (native/runners/libtest.c). All else is run as it is.
program=$1
shift
case $program in */deps/*-*) ;; *) exec "$program" "$@" ;; esac
[ "$RETRIAL_EVENTS" ] && grep -qa RUST_TEST_THREADS "$program" || exec "$program" "$@"

# As nextest names them: the package for its own unit tests, package::target else.
target=${program##*/} target=${target%-*}
own=$(printf %s "$CARGO_PKG_NAME" | tr - _)
RETRIAL_LIBTEST=${CARGO_PKG_NAME:-$target}
[ "$target" = "$own" ] || RETRIAL_LIBTEST=${CARGO_PKG_NAME:+$CARGO_PKG_NAME::}$target

# nextest lists the tests of a program, and starts it once for each. It is told of the chosen alone.
if [ "$NEXTEST" ]; then
  case "$*" in
    *--list*)
      [ "$RETRIAL_ONLY" ] || exec "$program" "$@"
      "$program" "$@" | while IFS= read -r line; do
        grep -qxF -e "$RETRIAL_LIBTEST > ${line%: *}" "$RETRIAL_ONLY" && printf '%s\n' "$line"
      done
      exit 0
      ;;
    "--exact "*" --nocapture") # what it has to say is shown where it fails
      export RETRIAL_LIBTEST
      exec "$program" --test-threads=1 --color=never --exact "$2"
      ;;
  esac
  exec "$program" "$@"
fi
for word; do
  case $word in --bench | --list | --exact) exec "$program" "$@" ;; esac
done
export RETRIAL_LIBTEST

# Without what says how it runs and writes; that is said here, once.
count=$# before=
while [ "$count" -gt 0 ]; do
  word=$1 count=$((count - 1))
  shift
  case $before,$word in
    value,*) before= ;;
    *,--test-threads | *,--format | *,--color) before=value ;;
    *,--test-threads=* | *,--format=* | *,--color=* | *,-q | *,--quiet) ;;
    *) set -- "$@" "$word" ;;
  esac
done
set -- --test-threads=1 --color=never "$@"
[ "$RETRIAL_ONLY" ] || exec "$program" "$@"
names=
while IFS= read -r id; do
  case $id in "$RETRIAL_LIBTEST > "*) names=1 && set -- "$@" "${id#"$RETRIAL_LIBTEST > "}" ;; esac
done <"$RETRIAL_ONLY"
[ "$names" ] || exit 0
exec "$program" --exact "$@"
