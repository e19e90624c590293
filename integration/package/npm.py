"""`retrial`, a launcher, and `@retrial/linux-x64`, `@retrial/linux-arm64`, the binaries, of which npm takes the one whose os and cpu are right.
None has a script that runs at installation."""
import json

import tarball

LAUNCHER = """#!/usr/bin/env node
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const name = `@retrial/${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/retrial`);
} catch {
  const known = Object.keys(require('../package.json').optionalDependencies);
  const why = known.includes(name)
    ? `the optional dependency ${name} is not installed: install without --omit=optional, and on this machine`
    : `there is no binary for ${process.platform} on ${process.arch}, only ${known.join(', ')}`;
  console.error(`retrial: ${why}`);
  process.exit(2);
}
const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
// A terminal signals the binary too, which ends in its own time; what is sent to us alone is passed on.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`retrial: ${binary}: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
"""


def package(name, version, more):
    return (json.dumps({"name": name, "version": version, "license": "Apache-2.0",
                        "description": "Puts the retries of a test suite on trial", **more}, indent=2) + "\n").encode()


def packed(files, name, contents, out):
    made = out / f"{name}-{contents.version.npm}.tgz"
    made.write_bytes(tarball.packed(files, "package", contents.seconds))
    return made


def launcher(architectures, contents, out):
    version = contents.version.npm
    binaries = {f"@retrial/linux-{architecture.npm}": version for architecture in architectures}
    return packed({"package.json": (0o644, package("retrial", version, {
        "bin": {"retrial": "bin/retrial.js"}, "engines": {"node": ">=16"}, "files": ["bin"], "optionalDependencies": binaries})),
        "bin/retrial.js": (0o755, LAUNCHER.encode()), "README.md": (0o644, contents.readme), "LICENSE": (0o644, contents.licence)}, "retrial", contents, out)


def make(contents, out):
    name = f"linux-{contents.architecture.npm}"
    return [packed({"package.json": (0o644, package(f"@retrial/{name}", contents.version.npm, {
        "os": ["linux"], "cpu": [contents.architecture.npm], "files": ["bin", "man", "sbom.spdx.json", "THIRD-PARTY"], "man": "man/retrial.1.gz"})),
        "bin/retrial": (0o755, contents.program), "man/retrial.1.gz": (0o644, contents.man),
        "sbom.spdx.json": (0o644, contents.sbom), "LICENSE": (0o644, contents.licence), "THIRD-PARTY": (0o644, contents.third_party)}, f"retrial-{name}", contents, out)]
