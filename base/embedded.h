#pragma once
#include <span>
#include <string_view>

namespace retrial {

// A file that was built into the binary (embed.cmake).
struct EmbeddedFile {
  std::string_view path;  // relative to the folder that it was taken from
  std::string_view bytes;
};

}  // namespace retrial
