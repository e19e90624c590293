#!/usr/bin/env bash
# alone.sh COMMAND...: runs it in a network of its own, in which there is loopback alone and every port is free. Status 125: none can
# be made here.
set -euo pipefail
alone=(unshare -n)
[ "$(id -u)" = 0 ] || alone=(unshare -r -n)
"${alone[@]}" true 2>/dev/null || {
  echo "alone.sh: no network of its own can be made: root is needed, or a kernel that lets users make namespaces" >&2
  exit 125
}
exec "${alone[@]}" sh -c 'ip link set lo up && exec "$@"' sh "$@"
