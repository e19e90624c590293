#include "campaign/workload/shortened_log.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace retrial::campaign {
namespace {

constexpr std::uintmax_t kFirst = 256u << 10, kLast = 768u << 10;

std::string part_of(std::ifstream& in, std::uintmax_t from, std::uintmax_t size) {
  std::string text(size, '\0');
  in.seekg(static_cast<std::streamoff>(from));
  in.read(text.data(), static_cast<std::streamsize>(size));
  return text;
}

}  // namespace

void shorten_log(const std::filesystem::path& log) {
  std::error_code error;
  auto size = std::filesystem::file_size(log, error);
  if (error || size <= kFirst + kLast) return;
  std::ifstream in(log, std::ios::binary);
  auto first = part_of(in, 0, kFirst), last = part_of(in, size - kLast, kLast);
  if (in)
    std::ofstream(log, std::ios::binary) << first
                                         << fmt::format("\n... {} bytes left out by retrial ...\n",
                                                        size - kFirst - kLast)
                                         << last;
}

}  // namespace retrial::campaign
