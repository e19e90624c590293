#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace retrial {
namespace {
namespace fs = std::filesystem;

struct Rooms {
  std::map<std::string, int> height;  // room -> its line in layers.txt, the lowest first
};

Rooms read_rooms(std::istream& in) {
  Rooms rooms;
  int height = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    for (std::string room; words >> room;) rooms.height[room] = height;
    height++;
  }
  return rooms;
}

// The room that a path stands in: the longest that is named, or none.
std::string room_of(const Rooms& rooms, std::string path) {
  for (auto slash = path.rfind('/'); slash != path.npos; slash = path.rfind('/')) {
    path.resize(slash);
    if (rooms.height.contains(path)) return path;
  }
  return {};
}

// One line for each include of this file that its room may not have: "policies/p1.cc:3: includes oracles/oracle.h, …".
std::vector<std::string> trespasses(const Rooms& rooms, const std::string& path, std::istream& in) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^">]+/[^">]+)[">])");
  std::vector<std::string> found;
  auto own = room_of(rooms, path);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    number++;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    auto other = room_of(rooms, match[1]);
    if (other.empty() || other == own) continue;
    auto mine = rooms.height.at(own), its = rooms.height.at(other);
    if (its < mine) continue;
    found.push_back(path + ":" + std::to_string(number) + ": includes " + match[1].str() + ", " +
                    (its > mine ? "a room above its own" : "a room beside its own"));
  }
  return found;
}

Rooms house() {
  std::ifstream in(fs::path(RETRIAL_SOURCE_DIR) / "layers.txt");
  return read_rooms(in);
}

TEST(Rooms, no_file_includes_a_room_above_or_beside_its_own) {
  auto rooms = house();
  ASSERT_GE(rooms.height.size(), 8u);
  for (const auto& [room, height] : rooms.height)
    EXPECT_TRUE(fs::is_directory(fs::path(RETRIAL_SOURCE_DIR) / room)) << "layers.txt names " << room;
  std::size_t files = 0;
  for (const auto& [room, height] : rooms.height) {
    auto folder = fs::path(RETRIAL_SOURCE_DIR) / room;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      auto kind = entry.path().extension();
      if (kind != ".cc" && kind != ".h" && kind != ".c") continue;
      if (room_of(rooms, fs::relative(entry.path(), RETRIAL_SOURCE_DIR).string()) != room) continue;  // a room inside
      files++;
      std::ifstream in(entry.path());
      for (const auto& line : trespasses(rooms, fs::relative(entry.path(), RETRIAL_SOURCE_DIR).string(), in))
        ADD_FAILURE() << line;
    }
  }
  EXPECT_GT(files, 20u);
}

TEST(Rooms, an_include_that_goes_up_or_sideways_is_found_with_its_line) {
  auto rooms = house();
  std::istringstream policy(
      "#include <vector>\n#include \"oracles/oracle.h\"\n  # include \"proxy/net/loop.h\"\n#include \"trace/run.h\"\n");
  EXPECT_EQ(trespasses(rooms, "policies/p1.cc", policy),
            (std::vector<std::string>{"policies/p1.cc:2: includes oracles/oracle.h, a room beside its own",
                                      "policies/p1.cc:3: includes proxy/net/loop.h, a room above its own"}));
  std::istringstream inside(
      "#include \"trace/calls/lessons.h\"\n#include \"trace/run.h\"\n#include \"trace/recording/record.h\"\n");
  EXPECT_EQ(
      trespasses(rooms, "trace/recording/segment.cc", inside),
      (std::vector<std::string>{"trace/recording/segment.cc:1: includes trace/calls/lessons.h, a room above its own"}));
  std::istringstream beside("#include \"trace/store/store.h\"\n");
  EXPECT_EQ(trespasses(rooms, "trace/comparing/retry_layers.cc", beside).size(), 1u);
  std::istringstream base("#include \"trace/run.h\"\n");
  EXPECT_EQ(trespasses(rooms, "base/text.cc", base).size(), 1u);
  std::istringstream codec(
      "#include \"proxy/codec/head.h\"\n#include \"proxy/net/loop.h\"\n#include \"proxy/proxy.h\"\n");
  EXPECT_EQ(trespasses(rooms, "proxy/codec/h1.cc", codec),
            (std::vector<std::string>{"proxy/codec/h1.cc:2: includes proxy/net/loop.h, a room beside its own",
                                      "proxy/codec/h1.cc:3: includes proxy/proxy.h, a room above its own"}));
  std::istringstream cli(
      "#include \"campaign/config/config.h\"\n#include \"cli/command.h\"\n#include \"base/text.h\"\n#include "
      "<sys/types.h>\n");
  EXPECT_TRUE(trespasses(rooms, "cli/main.cc", cli).empty());
}

}  // namespace
}  // namespace retrial
