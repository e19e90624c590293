#!/usr/bin/env bash
# The documentation as a site: build.sh RETRIAL. The pages' samples are tried, the right code that they show is put on trial, their
# links are looked at, and a picture is made of what the samples have left, where a Chromium is there. The site is build/docs/site.
set -euo pipefail
cd "$(dirname "$0")/../.."
retrial=$1 out=build/docs browser=$(command -v chromium || true)
rm -rf "$out/source" "$out/kept" "$out/site"
mkdir -p "$out/kept"
cp -r docs "$out/source"
mkdir "$out/source/pictures"

python3 integration/docs/samples.py --keep "$out/kept" "$retrial"
python3 integration/docs/right_code.py "$retrial"

if [ -n "$browser" ]; then
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,1500 \
    --screenshot="$out/source/pictures/report.png" "file://$PWD/$out/kept/tutorial/shop/first/report.html" 2>"$out/chromium.log" >&2
else
  echo "docs: no chromium, so the site has no pictures" >&2
fi

[ -x "$out/venv/bin/mkdocs" ] || python3 -m venv "$out/venv"
"$out/venv/bin/pip" install -q --disable-pip-version-check -r integration/docs/requirements.txt
NO_MKDOCS_2_WARNING=1 "$out/venv/bin/mkdocs" build --strict -f integration/docs/mkdocs.yml >"$out/mkdocs.log" 2>&1 || { cat "$out/mkdocs.log" >&2; exit 1; }
echo "docs: $out/site/index.html"
