#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Options of `go test` that take the next word as their value, with one dash or two.
constexpr std::string_view kGoTakesValue[] = {"C",
                                              "exec",
                                              "o",
                                              "run",
                                              "skip",
                                              "bench",
                                              "benchtime",
                                              "blockprofile",
                                              "count",
                                              "cpu",
                                              "fuzz",
                                              "list",
                                              "coverprofile",
                                              "covermode",
                                              "coverpkg",
                                              "cpuprofile",
                                              "fuzztime",
                                              "memprofile",
                                              "outputdir",
                                              "parallel",
                                              "shuffle",
                                              "timeout",
                                              "trace",
                                              "vet",
                                              "mutexprofile",
                                              "asmflags",
                                              "buildmode",
                                              "compiler",
                                              "gcflags",
                                              "gccgoflags",
                                              "installsuffix",
                                              "ldflags",
                                              "mod",
                                              "modfile",
                                              "overlay",
                                              "p",
                                              "pgo",
                                              "pkgdir",
                                              "tags",
                                              "toolexec",
                                              "fuzzminimizetime",
                                              "blockprofilerate",
                                              "memprofilerate",
                                              "mutexprofilefraction"};

// "-timeout=5s" -> "timeout"; empty: no option.
std::string_view option(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  word = word.substr(0, word.find('='));
  return word.starts_with("test.") ? word.substr(5) : word;
}
bool takes_next(std::string_view word) {
  return !word.contains('=') && std::ranges::count(kGoTakesValue, option(word)) > 0;
}

// Where the word `test` of `go test` stands, behind assignments.
std::optional<std::size_t> test_at(const std::vector<std::string>& argv) {
  std::size_t i = 0;
  while (i < argv.size() && (program_name(argv[i]) == "env" || argv[i].contains('='))) i++;
  if (i >= argv.size() || program_name(argv[i]) != "go") return {};
  i++;
  if (i + 1 < argv.size() && argv[i] == "-C") i += 2;
  if (i < argv.size() && argv[i] == "test") return i;
  return {};
}

// "example.com/shop/orders.TestPlace/twice" -> "example.com/shop/orders"; empty: it has none that could be named.
std::string package_of(const std::string& test) {
  auto at = test.npos;
  for (auto name : {".Test", ".Fuzz", ".Example"}) at = std::min(at, test.find(name));
  auto package = test.substr(0, at == test.npos ? 0 : at);
  return package == "command-line-arguments" ? "" : package;
}

// Its hook is edited into the package `testing` (agents/go_parts.cc), and chooses the tests: so subtests of any name.
class GoTest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "go test",
        .hook = {"go/runners/testing.go.txt"},
        .test_files = {.suffixes = {"_test"}},
        .executes_again = true,
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override { return test_at(argv).has_value(); }

  // One package after another; the hook sees to its tests.
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = without(argv, {"p"}, false), .environment = {"RETRIAL_SERIAL=1"}};
  }

  // The packages are named in place of the user's patterns: a test binary need not be built to run nothing.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    std::vector<std::string> packages;
    for (auto& test : tests)
      if (auto package = package_of(test); std::ranges::find(packages, package) == packages.end())
        packages.push_back(std::move(package));
    bool narrow = !wide && std::ranges::find(packages, "") == packages.end();
    launch.argv = without(argv, {"p", "timeout", "failfast"}, narrow);
    auto at = launch.argv.begin() + static_cast<std::ptrdiff_t>(*test_at(launch.argv)) + 1;
    if (narrow) at = launch.argv.insert(at, packages.begin(), packages.end());
    launch.argv.insert(at, "-timeout=0");
    return launch;
  }

 private:
  // Without those options and, if asked for, without the packages. What follows -args is the tests' own.
  static std::vector<std::string> without(const std::vector<std::string>& argv,
                                          std::initializer_list<std::string_view> options, bool packages) {
    std::vector<std::string> out;
    auto test = *test_at(argv);
    for (std::size_t i = 0; i < argv.size(); i++) {
      auto name = i > test ? option(argv[i]) : std::string_view();
      if (name == "args") return out.insert(out.end(), argv.begin() + static_cast<std::ptrdiff_t>(i), argv.end()), out;
      bool dropped = std::ranges::count(options, name) > 0;
      if (!dropped && (i <= test || !name.empty() || !packages)) out.push_back(argv[i]);
      if (!takes_next(argv[i]) || i <= test || i + 1 == argv.size()) continue;
      if (i++; !dropped) out.push_back(argv[i]);
    }
    return out;
  }
};

}  // namespace

const Adapter& go_test_adapter() {
  static const GoTest adapter;
  return adapter;
}

}  // namespace retrial::campaign
