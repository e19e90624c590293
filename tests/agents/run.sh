#!/bin/bash
# Runs the agents' tests: Python's, Java's, Ruby's and PHP's under pytest, Node's under node --test. What they need is put
# below $RETRIAL_TEST_ENV once, and again only when requirements.txt or package.json change.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
env=${RETRIAL_TEST_ENV:-$here/../../build/test-env}
mkdir -p "$env"
env=$(cd "$env" && pwd)

unchanged() { [ -f "$2" ] && cmp -s "$1" "$2"; }

if ! unchanged "$here/requirements.txt" "$env/agents-requirements.txt"; then
  [ -x "$env/venv/bin/python" ] || python3 -m venv "$env/venv"
  "$env/venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$env/agents-requirements.txt"
fi
if ! unchanged "$here/node/package.json" "$env/agents-package.json"; then
  mkdir -p "$env/agents-node"
  cp "$here/node/package.json" "$env/agents-node/package.json"
  (cd "$env/agents-node" && npm install --silent --no-audit --no-fund --ignore-scripts --no-package-lock --legacy-peer-deps >&2)
  cp "$here/node/package.json" "$env/agents-package.json"
fi

java=
if command -v mvn >/dev/null && command -v javac >/dev/null; then
  java=1
  if ! unchanged "$here/java/pom.xml" "$env/agents-pom.xml"; then
    rm -rf "$env/agents-java"
    mvn -q -B -f "$here/java/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$env/agents-java" >&2
    cp "$here/java/pom.xml" "$env/agents-pom.xml"
  fi
else
  echo "agents: no JDK or no Maven: Java's agent is left out" >&2
fi

for language in ruby php; do
  command -v $language >/dev/null || echo "agents: there is no $language: its agent is left out" >&2
done

export RETRIAL_TEST_MODULES=$env/agents-node/node_modules
unset RETRIAL_EVENTS NODE_OPTIONS PYTEST_PLUGINS JAVA_TOOL_OPTIONS RUBYOPT PHP_INI_SCAN_DIR || true
status=0
(cd "$here/python" && "$env/venv/bin/python" -m pytest -q -p no:cacheprovider -rs "$@") || status=1
[ -z "$java" ] || (cd "$here/java" && RETRIAL_TEST_JARS=$env/agents-java "$env/venv/bin/python" -m pytest -q -p no:cacheprovider -rs "$@") || status=1
for language in ruby php; do
  ! command -v $language >/dev/null || (cd "$here/$language" && "$env/venv/bin/python" -m pytest -q -p no:cacheprovider -rs "$@") || status=1
done
node --test --test-reporter=spec "$here"/node/*.test.mjs || status=1
exit $status
