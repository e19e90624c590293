#!/usr/bin/env bash
# Small right and wrong applications under Retrial's faults. Arguments: ./dev witness --help
set -euo pipefail
cd "$(dirname "$0")/../.."
export RETRIAL=${RETRIAL:-$PWD/build/release/retrial}
exec python3 -B integration/witness/main.py "$@"
