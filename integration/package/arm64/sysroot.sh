#!/usr/bin/env bash
# sysroot.sh FOLDER: Debian's libraries for arm64, of the same release, unpacked there and nowhere else: this system's packages stay as they
# are, and apt's lists and dpkg's status for arm64 lie below FOLDER too. Quiet when nothing is missing.
set -euo pipefail
into=$(realpath -m "$1")
# What is linked (-dev), and the shared libraries that CMake's own files of them ask for.
packages="libc-ares-dev libevent-dev libssl-dev zlib1g-dev libspdlog-dev libfmt-dev libsqlite3-dev libyaml-dev libjemalloc-dev libnghttp2-dev
  libboost1.74-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libgtest-dev
  libc-ares2 libevent-2.1-7 libevent-core-2.1-7 libevent-extra-2.1-7 libevent-openssl-2.1-7 libevent-pthreads-2.1-7 libssl3 zlib1g libspdlog1.10
  libfmt9 libsqlite3-0 libyaml-0-2 libjemalloc2 libnghttp2-14"
[ "$(cat "$into/complete" 2>/dev/null)" != "$packages" ] || exit 0
echo "package: unpacking Debian's libraries for arm64 into $into"
rm -rf "$into"
mkdir -p "$into"/apt/{state/lists,cache/archives}/partial "$into"/debs "$into"/dpkg/{info,updates}
: >"$into/dpkg/status"
cat >"$into/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Dir::State "$into/apt/state";
Dir::State::status "$into/dpkg/status";
Dir::Cache "$into/apt/cache";
END
export APT_CONFIG=$into/apt.conf
apt-get -q update >"$into/apt.log" 2>&1 || {
  tail -n 5 "$into/apt.log" >&2
  exit 1
}
# shellcheck disable=SC2086 # a list
(cd "$into/debs" && apt-get -q download $packages >>"$into/apt.log" 2>&1) || {
  tail -n 5 "$into/apt.log" >&2
  exit 1
}
for deb in "$into"/debs/*.deb; do
  dpkg -x "$deb" "$into"
  # So `dpkg-query --admindir` says which version it is: the SBOM names it.
  { dpkg-deb -f "$deb" | sed '1a Status: install ok installed' && echo; } >>"$into/dpkg/status"
done
rm -r "$into/debs" "$into/apt"
echo "$packages" >"$into/complete"
