#!/usr/bin/env bash
# The action's own step: installs $WHEEL, puts $COMMAND on trial, and writes what is new into the job's summary. Ends as `retrial run` does.
set -uo pipefail
tools=${RUNNER_TEMP:?}/retrial
python3 -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check "${WHEEL:?}" || exit 2
since=()
# On a pull request new findings alone count; on the base branch all of them.
[ -z "${GITHUB_BASE_REF:-}" ] || [ ! -e .retrial-base/findings.json ] || since=(--since .retrial-base/findings.json)
# One plain command stands as it is, so that its runner is known; whatever else is bash's.
case ${COMMAND:?} in
  *[\&\|\;\<\>\$\`\(\)]* | *$'\n'*) words=(bash -c "$COMMAND") ;;
  *) eval "words=($COMMAND)" ;;
esac
# shellcheck disable=SC2086 # options are words
"$tools/bin/retrial" run ${OPTIONS:-} "${since[@]}" -- "${words[@]}"
status=$?
if [ -e .retrial/latest/findings.json ]; then
  "$tools/bin/python" "$(dirname "$0")/new_findings.py" .retrial/latest/findings.json >.retrial/latest/summary.md
  case $? in
    1) cp .retrial/latest/summary.md .retrial/latest/new.md ;;
    3) [[ $status != 3 || ${OPTIONS:-} != *--changed-since* ]] || status=0 ;; # it has nothing to do with this change
  esac
  cat .retrial/latest/summary.md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
exit $status
