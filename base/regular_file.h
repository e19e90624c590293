#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace retrial {

// The first `most` bytes of a file. None: it is no regular file (a FIFO, a device: nobody waits for it), is not there,
// or cannot be read.
std::optional<std::string> read_regular_file(const std::filesystem::path& file, std::size_t most);

}  // namespace retrial
