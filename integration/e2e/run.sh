#!/usr/bin/env bash
# The whole product on the samples. Arguments go to pytest; without a path among them, all tests run.
set -euo pipefail
cd "$(dirname "$0")/../.."
for app in order-sync queue-worker etcd-inventory; do integration/apps/$app/setup.sh; done
for setup in integration/runners/*/setup.sh; do "$setup"; done
if command -v mvn >/dev/null && command -v javac >/dev/null; then integration/apps/parcel-desk/setup.sh; else echo "e2e: no JDK or no Maven: Java's sample is left out" >&2; fi
integration/apps/order-sync/.venv/bin/pip install -q --disable-pip-version-check -r integration/e2e/requirements.txt
export RETRIAL=${RETRIAL:-$PWD/build/release/retrial}
export AWS_EC2_METADATA_DISABLED=true
paths=(integration/e2e)
for word in "$@"; do [[ ! -e ${word%%::*} ]] || paths=(); done
exec integration/apps/order-sync/.venv/bin/python -m pytest -q -p no:cacheprovider "${paths[@]}" "$@"
