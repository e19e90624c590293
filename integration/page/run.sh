#!/usr/bin/env bash
# The page of the admin side in Debian's Chromium. Pictures of it are left in build/page, to be looked at.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
export RETRIAL=${RETRIAL:-$root/build/release/retrial} PICTURES=$root/build/page
mkdir -p "$PICTURES"
[ -d node_modules/playwright-core ] || npm install --no-audit --no-fund --no-package-lock --silent
exec node --test page.test.mjs
