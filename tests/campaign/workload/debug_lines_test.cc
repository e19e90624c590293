#include "campaign/workload/debug_lines.h"

#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

TEST(DebugLines, name_a_function_without_parameters_result_and_clones) {
  auto bare = [](std::string_view name) { return bare_function(name); };
  EXPECT_EQ(bare("main"), "main");
  EXPECT_EQ(bare("??"), "");
  EXPECT_EQ(bare("shop::Orders::place(std::string const&)"), "shop::Orders::place");
  EXPECT_EQ(bare("shop::Orders::count(int) const"), "shop::Orders::count");
  EXPECT_EQ(bare("(anonymous namespace)::ask(int, std::string const&)"), "(anonymous namespace)::ask");
  EXPECT_EQ(bare("std::vector<int, std::allocator<int> > shop::all<int>(int (*)(char const*))"), "shop::all<int>");
  EXPECT_EQ(bare("post(char const*) [clone .isra.0]"), "post");
  EXPECT_EQ(bare("shop::name[abi:cxx11]() const"), "shop::name");
  EXPECT_EQ(bare("place(int)::{lambda(int)#1}::operator()(int) const"), "place::{lambda#1}");
  EXPECT_EQ(bare("auto Async::start()::{lambda(auto:1)#1}::operator()<error_code>(error_code) const"),
            "Async::start::{lambda#1}");
  EXPECT_EQ(bare("Call::operator()(int)"), "Call::operator()");
  EXPECT_EQ(bare("depot::tests::places::{{closure}}"), "depot::tests::places::{{closure}}");
  EXPECT_EQ(bare("<depot::Client as depot::Ask>::ask"), "<depot::Client as depot::Ask>::ask");
}

TEST(DebugLines, are_asked_for_by_places_in_files) {
  using Addresses = std::vector<CodeAddress>;
  EXPECT_EQ(addresses_of("/a/shop:1f,20,/a/lib%20x.so:3"),
            (Addresses{{"/a/shop", 0x1f}, {"/a/shop", 0x20}, {"/a/lib x.so", 3}}));
  for (auto broken : {"", ",", "1f", "/a:", "/a:1g", "/a:1,,2", ":1", "/a:11111111111111111"})
    EXPECT_EQ(addresses_of(broken), Addresses{}) << broken;
}

TEST(DebugLines, are_read_place_by_place_with_what_is_inlined_there) {
  auto read = read_addr2line(
      "0x0000000000001130\nask(int)\n/src/shop.cc:12 (discriminator 3)\nplace(int)\n/src/shop.cc:30\n"
      "0x0000000000001200\n??\n??:0\n"
      "0x0000000000001300\nmain\n/src/main.cc:?\n");
  ASSERT_EQ(read.size(), 3u);
  using Frames = std::vector<trace::Frame>;
  EXPECT_EQ(read[0x1130], (Frames{{"/src/shop.cc", 12, "ask"}, {"/src/shop.cc", 30, "place"}}));
  EXPECT_EQ(read[0x1200], Frames{});
  EXPECT_EQ(read[0x1300], Frames{}) << "its line is not known";
  EXPECT_TRUE(read_addr2line("").empty());
  EXPECT_TRUE(read_addr2line("addr2line: 'x': No such file\n").empty());
}

}  // namespace
}  // namespace retrial::campaign
