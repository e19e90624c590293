#!/bin/sh
# Installs what the tests need into ./node_modules; does nothing if it is there already.
set -eu
cd "$(dirname "$0")"
stamp=node_modules/.setup-stamp
if [ ! -f "$stamp" ] || ! cmp -s package-lock.json "$stamp"; then
  npm ci --no-audit --no-fund --loglevel=error >/dev/null
  cp package-lock.json "$stamp"
fi
