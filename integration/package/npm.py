"""Two packages: `retrial`, a launcher, and `@retrial/linux-x64`, the binary, which npm takes where os and cpu are right. Neither has a
script that runs at installation."""
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
  const why = name === '@retrial/linux-x64'
    ? `the optional dependency ${name} is not installed: install without --omit=optional, and on this machine`
    : `there is no binary for ${process.platform} on ${process.arch}: Retrial runs on Linux, x64`;
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


def make(contents, out):
    version = contents.version.npm
    papers = {"LICENSE": (0o644, contents.licence), "THIRD-PARTY": (0o644, contents.third_party)}
    launcher = {"package.json": (0o644, package("retrial", version, {
        "bin": {"retrial": "bin/retrial.js"}, "engines": {"node": ">=16"}, "files": ["bin"],
        "optionalDependencies": {"@retrial/linux-x64": version}})),
        "bin/retrial.js": (0o755, LAUNCHER.encode()), "README.md": (0o644, contents.readme), "LICENSE": papers["LICENSE"]}
    binary = {"package.json": (0o644, package("@retrial/linux-x64", version, {
        "os": ["linux"], "cpu": ["x64"], "files": ["bin", "man", "sbom.spdx.json", "THIRD-PARTY"], "man": "man/retrial.1.gz"})),
        "bin/retrial": (0o755, contents.program), "man/retrial.1.gz": (0o644, contents.man),
        "sbom.spdx.json": (0o644, contents.sbom), **papers}
    made = []
    for name, files in ((f"retrial-{version}.tgz", launcher), (f"retrial-linux-x64-{version}.tgz", binary)):
        (out / name).write_bytes(tarball.packed(files, "package", contents.seconds))
        made.append(out / name)
    return made
