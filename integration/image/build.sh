#!/usr/bin/env bash
# build.sh [TAG]: links the static binary, and writes build/image/retrial.tar and build/image/sbom.spdx.json, without a registry or an engine.
# RETRIAL_STATIC=FILE: of that binary, which may be arm64's (`./dev package arm64`).
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/image
binary=${RETRIAL_STATIC:-build/release/retrial-static}
if [ -z "${RETRIAL_STATIC:-}" ]; then
  [ -e build/release/CMakeCache.txt ] || cmake --preset release >/dev/null
  ninja -C build/release --quiet retrial-static
fi
python3 integration/image/image.py --binary "$binary" --archive build/image/retrial.tar --sbom build/image/sbom.spdx.json --tag "${1:-retrial:0.1.0}"
