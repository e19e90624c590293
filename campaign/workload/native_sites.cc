#include "campaign/workload/native_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/git.h"
#include "base/text.h"
#include "campaign/workload/project/kinds.h"
#include "oracles/evidence.h"
#include "scan/language.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;
using trace::Frame;

// What a project's tree holds of others.
constexpr std::array<std::string_view, 10> kOthers = {"_deps",           "third_party", "thirdparty", "3rdparty",
                                                      "vendor",          "external",    "extern",     "subprojects",
                                                      "vcpkg_installed", "node_modules"};
// Functions that test frameworks make of a test's name: GoogleTest, Catch2 3 and 2, doctest, Boost.Test; Rust's
// modules.
constexpr std::array<std::string_view, 7> kTestFunctions = {
    "::TestBody", "CATCH2_INTERNAL_TEST_", "C_A_T_C_H_T_E_S_T_", "DOCTEST_ANON_FUNC_", "::test_method", "::tests::",
    "::test::"};

bool is_below(const std::string& file, const fs::path& folder) {
  auto above = folder.string();
  return file.size() > above.size() && file.starts_with(above) && (above == "/" || file[above.size()] == '/');
}

}  // namespace

fs::path project_around(const fs::path& from) {
  if (auto repository = repository_around(from)) return *repository;
  std::error_code error;
  auto found = from;
  for (auto at = from; at != at.root_path(); at = at.parent_path())
    for (auto* built_by : {"CMakeLists.txt", "Cargo.toml", "meson.build", "configure.ac", "Makefile", "MODULE.bazel"})
      if (fs::exists(at / built_by, error)) found = at;
  return found;
}

NativeSites::NativeSites(const fs::path& from, fs::path kept)
    : from_(from), project_(project_around(from)), lines_(std::move(kept)) {}

std::string NativeSites::named(const std::string& file) const {
  return is_below(file, from_) ? file.substr(from_.string().size() + 1) : file;
}

// Builds that are to be the same everywhere (Bazel, -fdebug-prefix-map) name files from where they were compiled.
std::string NativeSites::in_project(std::string_view file) const {
  constexpr std::string_view kAnyFolder = "/proc/self/cwd/";
  if (file.starts_with(kAnyFolder)) file.remove_prefix(kAnyFolder.size());
  auto path = (project_ / file).lexically_normal();
  std::error_code error;
  return file.starts_with('/') || fs::exists(path, error) ? path.string() : std::string();
}

// Of the application, the innermost first.
std::vector<Frame> NativeSites::read(std::string_view frames) {
  auto places = addresses_of(frames);
  std::map<std::string, DebugLines::Places> by_file;
  for (auto& place : places) by_file[place.file].push_back(place.offset);
  for (auto& [of, all] : by_file) lines_.look_up(of, all);
  std::vector<Frame> own;
  for (auto& [of, place] : places)
    for (auto frame : lines_.at(of, place)) {
      frame.file = in_project(frame.file);
      if (!is_below(frame.file, project_)) continue;
      auto below = fs::path(frame.file).lexically_relative(project_);
      bool others =
          std::ranges::any_of(below, [](auto& part) { return std::ranges::count(kOthers, part.string()) > 0; });
      if (!others && frame.file.find(".pb.") == frame.file.npos) own.push_back(std::move(frame));
    }
  return own;
}

bool NativeSites::is_of_test(const Frame& frame) const {
  return std::ranges::any_of(kTestFunctions,
                             [&](auto part) { return frame.function.find(part) != frame.function.npos; }) ||
         oracles::in_tests(
             fs::path(frame.file).lexically_relative(is_below(frame.file, from_) ? from_ : project_).string(), "");
}

bool NativeSites::calls_from_loop(const Frame& frame) {
  auto [at, fresh] = loops_.try_emplace(frame.file);
  if (auto language = scan::language_of(frame.file); fresh && language)
    at->second = scan::loops(*language, text_in(frame.file));
  return std::ranges::any_of(at->second, [&](auto& loop) {
    return static_cast<int>(loop.line) <= frame.line && frame.line <= static_cast<int>(loop.last_line);
  });
}

std::optional<NativeSites::Origin> NativeSites::origin_of(std::string_view frames) {
  auto own = read(frames);
  if (own.empty()) return {};
  auto of_test = std::ranges::find_if(own, [&](auto& frame) { return is_of_test(frame); });
  auto& innermost = own.front();
  Origin origin{{named(innermost.file), innermost.line, innermost.function}};
  if (of_test != own.end()) {
    auto& statement = *std::find_if(own.rbegin(), own.rend(), [&](auto& frame) { return is_of_test(frame); });
    origin.statement = fnv1a(fmt::format("{}:{}:{}", named(statement.file), statement.line, statement.function));
  }
  auto goes_on = std::find_if(own.begin(), of_test, [&](auto& frame) { return calls_from_loop(frame); });
  auto& callers = origin.site.callers;
  for (auto it = own.begin(); it < of_test; ++it) {
    bool before =
        std::any_of(own.begin(), it, [&](auto& f) { return f.file == it->file && f.function == it->function; });
    if (it != own.begin() && !before) {
      auto caller = trace::encoded({named(it->file), it->line, it->function});
      if (callers.size() + caller.size() + 2 > trace::kCallersBytes) break;
      callers += (callers.empty() || callers == "," ? "" : ",") + caller;
    }
    if (it == goes_on) callers += ",";
  }
  return origin;
}

}  // namespace retrial::campaign
