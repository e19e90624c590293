#pragma once
#include <filesystem>

namespace retrial::campaign {

// Does what is preloaded (retrial_time.so and its like) start in programs here? It needs libdl.so.2 and
// libpthread.so.0, which glibc before 2.34 is parted into, and a later one has as empty files; an image may have been
// stripped of these, and a program in it would not start. `root`: of the file system. Where no glibc lies in the usual
// folders nothing is known: yes.
bool preloads_here(const std::filesystem::path& root = "/");

}  // namespace retrial::campaign
