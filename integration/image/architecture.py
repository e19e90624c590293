"""The processor that a binary is for: what each kind of package calls it, and where the parts of that binary came from."""
import dataclasses
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of this machine in any case: the cross compiler's, and what is the same everywhere.
OWN = {"libc6-dev": "libc6-dev-arm64-cross", "libstdc++-12-dev": "libstdc++-12-dev-arm64-cross", "ca-certificates": "ca-certificates"}


@dataclasses.dataclass(frozen=True)
class Architecture:
    machine: str  # as uname, wheels and .rpm call it
    npm: str
    deb: str

    @property
    def foreign(self):
        return os.uname().machine != self.machine

    def command(self, binary):
        """How it is run here."""
        return [f"qemu-{self.machine}-static", binary] if self.foreign else [binary]

    def root_of(self, package):
        """Where its files lie, as this machine's or as sysroot.sh has unpacked them; and its name there."""
        if not self.foreign:
            return pathlib.Path("/"), package
        return (pathlib.Path("/"), OWN[package]) if package in OWN else (ROOT / "build/deps" / self.npm, package)


ALL = {62: Architecture("x86_64", "x64", "amd64"), 183: Architecture("aarch64", "arm64", "arm64")}  # by e_machine (ELF)


def architecture_of(program):
    known = ALL.get(int.from_bytes(program[18:20], "little")) if program[:4] == b"\x7fELF" else None
    if not known:
        raise SystemExit("the binary is for neither x86-64 nor arm64")
    return known
