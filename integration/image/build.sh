#!/usr/bin/env bash
# build.sh [TAG]: links the static binary, and writes build/image/retrial.tar and build/image/sbom.spdx.json, without a registry or an engine.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/image
[ -e build/release/CMakeCache.txt ] || cmake --preset release >/dev/null
ninja -C build/release --quiet retrial-static
python3 integration/image/image.py --binary build/release/retrial-static --archive build/image/retrial.tar --sbom build/image/sbom.spdx.json --tag "${1:-retrial:0.1.0}"
