#!/bin/sh
# Installs the clients into npm/node_modules and python/.venv, and with --more builds those in Go and Java into
# build/zoo; does nothing where they are there already.
set -eu
cd "$(dirname "$0")"
stamp=npm/node_modules/.setup-stamp
if [ ! -f "$stamp" ] || ! cmp -s npm/package-lock.json "$stamp"; then
  echo "zoo: installing the clients of npm"
  (cd npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
  cp npm/package-lock.json "$stamp"
fi
stamp=python/.venv/.setup-stamp
if [ ! -f "$stamp" ] || ! cmp -s python/requirements.txt "$stamp"; then
  echo "zoo: installing the clients of PyPI"
  [ -x python/.venv/bin/python ] || python3 -m venv python/.venv
  python/.venv/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements.txt
  cp python/requirements.txt "$stamp"
fi
case " $* " in
  *" --more "*)
    (cd go && go build -o ../../../build/zoo/go .)
    jars=../../build/zoo/java
    if [ ! -f "$jars/pom.xml" ] || ! cmp -s java/pom.xml "$jars/pom.xml"; then
      echo "zoo: installing the clients of Maven"
      mvn -q -B -f java/pom.xml dependency:copy-dependencies "-DoutputDirectory=$PWD/$jars"
      cp java/pom.xml "$jars/pom.xml"
    fi
    javac -cp "$jars/*" -d "$jars" java/Client.java
    ;;
esac
