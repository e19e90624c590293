#!/bin/sh
# Builds h2spec and grpc-go's interop client and server, and installs what the tests need in Python, all into
# build/conformance; does nothing if it is there already.
set -eu
cd "$(dirname "$0")"
to=../../build/conformance
stamp=$to/.setup-stamp
if [ ! -f "$stamp" ] || ! cat go.mod requirements.txt grpcio_interop/interop.proto | cmp -s - "$stamp"; then
  mkdir -p "$to/bin" "$to/gen"
  go build -o "$to/bin/" tool
  [ -x "$to/venv/bin/python" ] || python3 -m venv "$to/venv"
  "$to/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
  "$to/venv/bin/python" -m grpc_tools.protoc -I grpcio_interop --python_out="$to/gen" --grpc_python_out="$to/gen" interop.proto
  cat go.mod requirements.txt grpcio_interop/interop.proto > "$stamp"
fi
