#!/bin/sh
# Installs what the tests need into ./.venv: Python's packages, the stubs of proto/etcd.proto, and
# etcd, where the machine has none, from Debian's package. Does nothing if it is there already.
set -eu
cd "$(dirname "$0")"
stamp=.venv/.setup-stamp
if [ ! -f "$stamp" ] || ! cat requirements.txt proto/etcd.proto | cmp -s - "$stamp"; then
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  mkdir -p .venv/gen
  .venv/bin/python -m grpc_tools.protoc -I proto --python_out=.venv/gen --grpc_python_out=.venv/gen proto/etcd.proto
  cat requirements.txt proto/etcd.proto > "$stamp"
fi
if [ ! -x .venv/bin/etcd ]; then
  if etcd=$(command -v etcd); then
    ln -sf "$etcd" .venv/bin/etcd
  else
    package=$(mktemp -d)
    (cd "$package" && apt-get download -qq etcd-server >/dev/null) || {
      echo "etcd-server is needed: apt-get install etcd-server" >&2
      exit 1
    }
    dpkg -x "$package"/etcd-server_*.deb "$package/etcd"
    cp "$package/etcd/usr/bin/etcd" .venv/bin/etcd
    rm -r "$package"
  fi
fi
