#include "proxy/time/go_program.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/folder.h"

namespace retrial::proxy {
namespace {

std::string bytes_of(const auto& header) { return {reinterpret_cast<const char*>(&header), sizeof header}; }

// An ELF file of a head, what follows it, the names of its sections, and the header of the section that holds these.
std::string program(std::string_view names, std::string_view behind_head = {}) {
  Elf64_Ehdr head = {};
  std::copy_n(ELFMAG, SELFMAG, head.e_ident);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  Elf64_Shdr section = {};
  section.sh_offset = sizeof head + 5000;
  section.sh_size = names.size();
  head.e_shoff = section.sh_offset + names.size() - sizeof section;  // the second of them
  head.e_shentsize = sizeof section;
  head.e_shstrndx = 1;
  std::string between(behind_head);
  between.resize(5000);
  return bytes_of(head) + between + std::string(names) + bytes_of(section);
}

TEST(GoProgram, is_known_by_its_build_id_or_without_one_by_the_table_of_its_functions) {
  test::Folder folder;
  auto is = [&](const std::string& bytes) { return is_go_program(folder.write("program", bytes).c_str()); };
  using namespace std::string_view_literals;
  EXPECT_TRUE(is(program("\0.text\0.shstrtab\0"sv, "\x04\0\0\0Go\0\0id"sv)));
  EXPECT_TRUE(is(program("\0.text\0.gopclntab\0.shstrtab\0"sv)));
  EXPECT_TRUE(is(program("\0.text\0.data.rel.ro.gopclntab\0.shstrtab\0"sv)));
  EXPECT_FALSE(is(program("\0.text\0.rodata\0.shstrtab\0"sv)));
}

TEST(GoProgram, is_none_that_is_cut_short_or_not_there) {
  test::Folder folder;
  auto whole = program(std::string_view("\0.gopclntab\0", 12));
  for (std::size_t size : {std::size_t{0}, std::size_t{20}, sizeof(Elf64_Ehdr), whole.size() - 1})
    EXPECT_FALSE(is_go_program(folder.write("program", whole.substr(0, size)).c_str())) << size;
  EXPECT_FALSE(is_go_program(folder.write("script", "#!/bin/sh\n").c_str()));
  EXPECT_FALSE(is_go_program((folder.path() / "none").c_str()));
}

}  // namespace
}  // namespace retrial::proxy
