#!/bin/bash
# Puts two authorities into the folder $1, each with a leaf for 127.0.0.1 and localhost:
# ours.pem ours-leaf.pem ours-leaf.key, and the same of `other`.
set -euo pipefail
cd "$1"
request=(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30)
for name in ours other; do
  "${request[@]}" -subj "/CN=authority $name" -keyout $name.key -out $name.pem \
    -addext keyUsage=critical,keyCertSign
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
    -keyout $name-leaf.key -out $name.csr
  openssl x509 -req -in $name.csr -CA $name.pem -CAkey $name.key -CAcreateserial -days 30 \
    -out $name-leaf.pem -extfile <(printf '%s\n' \
      'subjectAltName=DNS:localhost,IP:127.0.0.1' 'authorityKeyIdentifier=keyid' 'basicConstraints=CA:FALSE')
done 2>openssl.log || { cat openssl.log >&2; exit 1; }
