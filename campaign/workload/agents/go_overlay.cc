#include "campaign/workload/agents/go_overlay.h"

#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

Result<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail("cannot be read: this Go is not known", file.string());
  return text.str();
}
Result<void> write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) return fail("cannot be written", file.string());
  return {};
}

// "" where it failed.
std::string output_of(const char* command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  std::string text;
  std::array<char, 512> some{};
  while (pipe && fgets(some.data(), some.size(), pipe.get())) text += some.data();
  return text;
}

}  // namespace

Result<std::string> edited(std::string source, const GoEdit& edit) {
  auto at = source.find(edit.old);
  if (at == source.npos || source.find(edit.old, at + 1) != source.npos)
    return fail(fmt::format("\"{}\" does not stand there exactly once: this Go is not known", trim(edit.old)),
                std::string(edit.file));
  return source.replace(at, edit.old.size(), edit.now);
}

namespace {

// A part's files, by path below src.
Result<std::map<std::string, std::string>> apply(const GoPart& part, const fs::path& source,
                                                 std::map<std::string, std::string> files) {
  for (auto& edit : part.edits) {
    auto [it, fresh] = files.try_emplace(std::string(edit.file));
    if (fresh) {
      auto text = text_of(source / edit.file);
      if (!text) return std::unexpected(text.error());
      it->second = std::move(*text);
    }
    auto text = edited(std::move(it->second), edit);
    if (!text) return std::unexpected(text.error());
    it->second = std::move(*text);
  }
  return files;
}

}  // namespace

Result<GoOverlay> write_go_overlay(const fs::path& root, const std::vector<GoPart>& parts, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  auto source = root / "src";
  GoOverlay overlay;
  nlohmann::json replaced = nlohmann::json::object();
  std::map<std::string, std::string> files;
  for (auto& part : parts) {
    auto with = apply(part, source, files);
    if (!with) {
      overlay.lost.push_back(fmt::format("{}: {}", part.lost, with.error().line()));
      continue;
    }
    files = std::move(*with);
    for (auto& added : part.added) replaced[(source / added.target).string()] = (folder / added.file).string();
  }
  if (replaced.empty()) return overlay;
  for (auto& [name, text] : files) {
    // Not a file of Go by its name: the folder may lie in the user's module.
    auto own = name + ".txt";
    std::ranges::replace(own, '/', '.');
    if (auto ok = write(folder / own, text); !ok) return std::unexpected(ok.error());
    replaced[(source / name).string()] = (folder / own).string();
  }
  overlay.file = folder / kGoOverlay;
  if (auto ok = write(overlay.file, nlohmann::json{{"Replace", replaced}}.dump(1) + "\n"); !ok)
    return std::unexpected(ok.error());
  return overlay;
}

Result<GoOverlay> overlay_go_on_path(bool moves_clock, const fs::path& folder) {
  if (output_of("command -v go 2>/dev/null").empty()) return GoOverlay{};
  auto said = output_of("timeout 10 go env GOROOT GOARCH GOOS 2>/dev/null");
  std::istringstream lines(said);
  std::string root, architecture, system;
  if (!std::getline(lines, root) || !std::getline(lines, architecture) || !std::getline(lines, system) || root.empty())
    return fail("does not say where its runtime is", "go env");
  if (system != "linux") return fail("builds for " + system, "go env");
  std::vector<GoPart> parts{go_tests_and_calls()};
  if (moves_clock) parts.push_back(go_clock(architecture));
  return write_go_overlay(root, parts, folder);
}

}  // namespace retrial::campaign
