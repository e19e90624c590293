#!/bin/bash
# What a shop's client, curl as a shell uses it, is expected to do.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
answers=$(mktemp)
trap 'kill %1; rm -f "$answers"' EXIT
python3 shop.py >"$answers" &
until [ -s "$answers" ]; do sleep 0.1; done
shop=$(cat "$answers")

# Wrong: what may have been paid is paid once more.
curl -sf --max-time 10 --retry 2 --retry-all-errors --data 7 "$shop/payments" >"$answers"
[ "$(cat "$answers")" = 12 ]

# Right: a key tells the shop that it is the same order.
curl -sf --max-time 10 --retry 2 --retry-all-errors -H 'Idempotency-Key: order-8' --data 8 "$shop/orders" >"$answers"

# Wrong: it asks again at once, and for ever.
until curl -sf --max-time 10 "$shop/watched"; do
  :
done

# Right: it waits longer each time, and gives up.
curl -sf --max-time 10 --retry 2 "$shop/counted" >"$answers"
grep -q 12 "$answers"
echo done
