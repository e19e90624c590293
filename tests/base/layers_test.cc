#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace retrial {
namespace {
namespace fs = std::filesystem;

struct Layers {
  std::map<std::string, int> height;  // room -> its line in layers.txt, the lowest first
};

Layers read_layers(std::istream& in) {
  Layers layers;
  int height = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream rooms(line);
    for (std::string room; rooms >> room;) layers.height[room] = height;
    height++;
  }
  return layers;
}

// One line for each include of this file that its room may not have: "policies/p1.cc:3: includes oracles/oracle.h, …".
std::vector<std::string> trespasses(const Layers& layers, const std::string& path, std::istream& in) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"](([^/">]+)/[^">]+)[">])");
  std::vector<std::string> found;
  auto own = path.substr(0, path.find('/'));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    number++;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    auto other = layers.height.find(match[2]);
    if (other == layers.height.end() || other->first == own) continue;
    auto mine = layers.height.at(own);
    if (other->second < mine) continue;
    found.push_back(path + ":" + std::to_string(number) + ": includes " + match[1].str() + ", " +
                    (other->second > mine ? "a room above its own" : "a room beside its own"));
  }
  return found;
}

Layers house() {
  std::ifstream in(fs::path(RETRIAL_SOURCE_DIR) / "layers.txt");
  return read_layers(in);
}

TEST(Layers, no_file_includes_a_room_above_or_beside_its_own) {
  auto layers = house();
  ASSERT_GE(layers.height.size(), 8u);
  std::size_t files = 0;
  for (const auto& [room, height] : layers.height) {
    auto folder = fs::path(RETRIAL_SOURCE_DIR) / room;
    if (!fs::exists(folder)) continue;  // git keeps no empty room
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      auto kind = entry.path().extension();
      if (kind != ".cc" && kind != ".h" && kind != ".c") continue;
      files++;
      std::ifstream in(entry.path());
      for (const auto& line : trespasses(layers, fs::relative(entry.path(), RETRIAL_SOURCE_DIR).string(), in))
        ADD_FAILURE() << line;
    }
  }
  EXPECT_GT(files, 20u);
}

TEST(Layers, an_include_that_goes_up_or_sideways_is_found_with_its_line) {
  auto layers = house();
  std::istringstream policy(
      "#include <vector>\n#include \"oracles/oracle.h\"\n  # include \"proxy/net/loop.h\"\n#include \"trace/run.h\"\n");
  EXPECT_EQ(trespasses(layers, "policies/p1.cc", policy),
            (std::vector<std::string>{"policies/p1.cc:2: includes oracles/oracle.h, a room beside its own",
                                      "policies/p1.cc:3: includes proxy/net/loop.h, a room above its own"}));
  std::istringstream base("#include \"trace/run.h\"\n");
  EXPECT_EQ(trespasses(layers, "base/text.cc", base).size(), 1u);
  std::istringstream cli(
      "#include \"campaign/config.h\"\n#include \"cli/command.h\"\n#include \"base/text.h\"\n#include <sys/types.h>\n");
  EXPECT_TRUE(trespasses(layers, "cli/main.cc", cli).empty());
}

}  // namespace
}  // namespace retrial
