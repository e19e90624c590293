#include "proxy/time/go_program.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace retrial::proxy {
namespace {

using Room = std::array<char, 4096>;

std::string_view part_of(int fd, Room& room, std::uint64_t at, std::size_t size) {
  auto got = pread(fd, room.data(), std::min(size, room.size()), static_cast<off_t>(at));
  return {room.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

template <typename T>
bool take(T& to, std::string_view bytes) {
  if (bytes.size() < sizeof(T)) return false;
  bytes.copy(reinterpret_cast<char*>(&to), sizeof(T));
  return true;
}

// The names of its sections, one behind the other.
std::string_view names_of_sections(int fd, Room& room, std::string_view head) {
  Elf64_Ehdr file;
  Elf64_Shdr names;
  if (!take(file, head) || std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  auto at = file.e_shoff + std::uint64_t{file.e_shstrndx} * file.e_shentsize;
  if (file.e_shoff == 0 || !take(names, part_of(fd, room, at, sizeof names))) return {};
  return part_of(fd, room, names.sh_offset, names.sh_size);
}

}  // namespace

bool is_go_program(const char* file) {
  constexpr std::string_view kNote("\x04\0\0\0Go\0\0", 8);  // ELF type 4, name "Go"; it stands behind the file's head
  constexpr std::string_view kFunctions(".gopclntab\0", 11);
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  Room head, room;
  auto begins = part_of(fd, head, 0, head.size());
  bool is = begins.find(kNote) != begins.npos;
  if (!is) {
    auto names = names_of_sections(fd, room, begins);
    is = names.find(kFunctions) != names.npos;
  }
  close(fd);
  return is;
}

}  // namespace retrial::proxy
