#!/bin/sh
# Installs what the tests need into ./.venv; does nothing if it is there already.
set -eu
cd "$(dirname "$0")"
stamp=.venv/.setup-stamp
if [ ! -f "$stamp" ] || ! cmp -s requirements.txt "$stamp"; then
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  cp requirements.txt "$stamp"
fi
