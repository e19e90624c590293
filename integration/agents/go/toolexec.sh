#!/bin/sh
# Named by -toolexec in GOFLAGS: `go` runs its tools by it. What was linked once in this campaign is not linked again, as
# `go test` would in each run; and grpc-go, which no overlay can edit, is compiled with a file of ours.
ours=${0%/*}

# Go's own name for all that went into a link is the first part of -buildid.
link() {
  before= out= id=
  for word; do
    case $before,$word in
      -o,*) out=$word ;;
      *,-buildid=*/*) [ "$id" ] || { id=${word#-buildid=} && id=${id%%/*}; } ;;
    esac
    before=$word
  done
  [ "$id" ] && [ "$out" ] || exec "$@"
  cache=$ours/cache
  [ ! -e "$cache/$id" ] || exec cp "$cache/$id" "$out"
  "$@" || exit
  # Kept as it is before `go` writes into it, while the disk has 1 GiB left. Another run may be keeping the same.
  {
    mkdir -p "$cache" && df -Pk "$cache" | { read -r _ && read -r _ _ _ free _ && [ "$free" -gt 1048576 ]; } &&
      cp "$out" "$cache/$id.$$" && mv "$cache/$id.$$" "$cache/$id" || rm -f "$cache/$id.$$"
  } 2>/dev/null
  exit 0
}

# Go's cache knows a compiled package by what went into it and by the version that the compiler tells: ours is another,
# or builds without us would be given what we have edited.
version() {
  said=$("$@") || exit
  sum=$(cat "$0" "$ours/retrial_grpc.go.txt" | cksum) || exit
  echo "$said-retrial${sum%% *}"
  exit
}

# A copy of the file $1 named $2, edited by the rest, for whose frames and errors the file is $3.
edit() {
  from=$1 to=$2 name=$3
  shift 3
  { echo "//line $name:1" && sed "$@" "$from"; } >"$to"
}

# Left as it is where a place that we edit is not there, where `net/http` is without our part, or where it does not compile.
compile_grpc() {
  before= out= config= call= stream= options=
  for word; do
    case $before,$word in
      -o,*) out=$word ;;
      -importcfg,*) config=$word ;;
      *,*/call.go) call=$word ;;
      *,*/stream.go) stream=$word ;;
      *,*/dialoptions.go) options=$word ;;
    esac
    before=$word
  done
  work=${out%/*} head='^func (cc \*ClientConn)' enter='defer retrialLeave(retrialEnter()); ctx = retrialFrom(ctx)'
  {
    http=$(sed -n 's/^packagefile net\/http=//p' "$config") && grep -q net/http.retrialRPC "$http" &&
      grep -q '^var globalDialOptions \[\]DialOption' "$options" &&
      edit "$call" "$work/retrial_call.go" "$call" "s/$head Invoke(ctx context\.Context, .*{\$/& $enter/" &&
      edit "$stream" "$work/retrial_stream.go" "$stream" "s/$head NewStream(ctx context\.Context, .*{\$/& $enter/" &&
      grep -q retrialFrom "$work/retrial_call.go" && grep -q retrialFrom "$work/retrial_stream.go" &&
      edit "$ours/retrial_grpc.go.txt" "$work/retrial_grpc.go" "${call%/*}/retrial_grpc.go" ''
  } 2>/dev/null || return
  for word; do
    shift
    case $word in
      "$call") word=$work/retrial_call.go ;;
      "$stream") word=$work/retrial_stream.go ;;
    esac
    set -- "$@" "$word"
  done
  "$@" "$work/retrial_grpc.go" >"$work/retrial_said" 2>&1 && exec cat "$work/retrial_said"
}

case $1 in
  */link) link "$@" ;;
  */compile)
    # Where the overlay has edited `net/http`, which has the most of what tags an RPC.
    if [ -e "$ours/net.http.transport.go.txt" ]; then
      case $2,${TOOLEXEC_IMPORTPATH%% *} in
        -V=*) version "$@" ;;
        *,google.golang.org/grpc) compile_grpc "$@" ;;
      esac
    fi
    ;;
esac
exec "$@"
