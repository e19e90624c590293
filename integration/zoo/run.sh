#!/usr/bin/env bash
# The clients of the zoo under Retrial's faults, in a network of their own where one may be made. Arguments: ./dev zoo --help
set -euo pipefail
cd "$(dirname "$0")/../.."
integration/zoo/setup.sh "$@"
export RETRIAL=${RETRIAL:-$PWD/build/release/retrial}
zoo=(python3 -B integration/zoo/driver/main.py "$@")
integration/alone.sh true 2>/dev/null || exec "${zoo[@]}"
exec integration/alone.sh "${zoo[@]}"
