#!/usr/bin/env bash
# h2spec and gRPC's interop cases through `retrial serve`, in a network of their own where one may be made. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
integration/conformance/setup.sh
export RETRIAL=${RETRIAL:-$PWD/build/release/retrial}
paths=(integration/conformance)
for word in "$@"; do [[ ! -e ${word%%::*} ]] || paths=(); done
test=(build/conformance/venv/bin/python -m pytest -q -p no:cacheprovider "${paths[@]}" "$@")
alone=(unshare -n)
[ "$(id -u)" = 0 ] || alone=(unshare -r -n)
"${alone[@]}" true 2>/dev/null || exec "${test[@]}"
exec "${alone[@]}" sh -c 'ip link set lo up && exec "$@"' sh "${test[@]}"
