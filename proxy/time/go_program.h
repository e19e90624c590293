#pragma once

namespace retrial::proxy {

// Was this program made by Go's linker? By what every one of them has: the note with its build id ("-ldflags=-buildid="
// leaves it out, as esbuild's does), or the table of its functions, which Go's own tracebacks need (.gopclntab; in a
// position independent program .data.rel.ro.gopclntab). False where it cannot be read, or is no 64-bit ELF file.
bool is_go_program(const char* file);

}  // namespace retrial::proxy
