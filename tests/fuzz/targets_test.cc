// Each fuzz target with its corpus, with what is cut off it, and with inputs made of it by the same dice each time.
// What is found by chance, and with sanitizers, is for ./dev fuzz.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#define TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

namespace {
struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};

const Target kTargets[] = {
#define TARGET(name) {#name, name},
#include "fuzz_targets.inc"
#undef TARGET
};

constexpr int kMade = 2000;
constexpr std::size_t kLongest = 4096;  // libFuzzer's own

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<std::string> inputs{""};
  std::filesystem::path folder = RETRIAL_SOURCE_DIR "/fuzz/corpus/" + target;
  if (!exists(folder)) return inputs;
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// One to four changes: a byte, a part left out, or a part of any input put in between.
std::string made_of(const std::vector<std::string>& corpus, std::mt19937& dice) {
  auto below = [&](std::size_t n) { return n ? dice() % n : 0; };
  auto input = corpus[below(corpus.size())].substr(0, kLongest);
  if (input.empty()) {
    input.resize(below(256));
    for (auto& byte : input) byte = static_cast<char>(dice());
  }
  for (auto changes = 1 + below(4); changes > 0; --changes) {
    auto at = below(input.size());
    switch (below(4)) {
      case 0:
        input.insert(at, 1, static_cast<char>(dice()));
        break;
      case 1:
        input.erase(at, below(16));
        break;
      case 2: {
        auto& other = corpus[below(corpus.size())];
        input.insert(at, other.substr(below(other.size()), below(64)));
        break;
      }
      default:
        if (!input.empty()) input[at] = static_cast<char>(dice());
    }
  }
  return input;
}

class FuzzTarget : public testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, BearsItsCorpusAndWhatIsMadeOfIt) {
  auto corpus = corpus_of(GetParam().name);
  auto run = [&](const std::string& input) {
    EXPECT_EQ(GetParam().run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()), 0);
  };
  for (auto& input : corpus) {
    run(input);
    for (std::size_t part = 1; part < 16; ++part) run(input.substr(0, input.size() * part / 16));
  }
  std::mt19937 dice(1);
  for (int n = 0; n < kMade; ++n) run(made_of(corpus, dice));
}

INSTANTIATE_TEST_SUITE_P(Each, FuzzTarget, testing::ValuesIn(kTargets),
                         [](auto& target) { return std::string(target.param.name); });
}  // namespace
