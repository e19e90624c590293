#!/usr/bin/env bash
# The whole product on the samples, a process at a time. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
for app in order-sync queue-worker; do integration/apps/$app/setup.sh; done
export RETRIAL=${RETRIAL:-$PWD/build/release/retrial}
export AWS_EC2_METADATA_DISABLED=true
exec integration/apps/order-sync/.venv/bin/python -m pytest -q -p no:cacheprovider "${@:-integration/e2e}"
