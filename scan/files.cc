#include "scan/files.h"

#include <algorithm>
#include <array>

#include "base/git.h"
#include "base/text.h"
#include "scan/language.h"
#include "scan/settings.h"

namespace retrial::scan {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 14> kVendored{
    "node_modules", "vendor", "third_party", "thirdparty",  "site-packages",    ".venv",   "venv",
    "dist",         "build",  "target",      "__pycache__", "bower_components", "_vendor", "external"};
constexpr std::array<std::string_view, 9> kTests{"test", "tests", "__tests__", "testing",  "testdata",
                                                 "spec", "specs", "e2e",       "__mocks__"};

template <std::size_t N>
bool has_folder(const fs::path& path, const std::array<std::string_view, N>& names) {
  return std::ranges::any_of(path.parent_path(),
                             [&](auto& part) { return std::ranges::find(names, part.string()) != names.end(); });
}

bool is_test(const fs::path& path) {
  auto name = path.filename().string();
  auto stem = path.stem().string();
  return has_folder(path, kTests) || stem.ends_with("_test") || stem.starts_with("test_") || stem.ends_with(".test") ||
         stem.ends_with(".spec") || name == "conftest.py" ||
         (path.extension() == ".java" && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT")));
}

bool is_generated(const fs::path& path) {
  auto name = path.filename().string();
  for (std::string_view end : {".min.js", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".d.ts", ".generated.ts",
                               "_generated.go", ".bundle.js", "zz_generated.deepcopy.go"})
    if (name.ends_with(end)) return true;
  return false;
}

bool is_readable(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator at(folder, error);
  return !error;
}

// Relative to the current directory where it is below that, whichever way it was typed.
std::string as_shown(const fs::path& path) {
  std::error_code error;
  auto here = path.is_absolute() ? path.lexically_relative(fs::current_path(error)) : fs::path();
  return (here.empty() || *here.begin() == ".." ? path : here).lexically_normal().string();
}

struct Chooser {
  bool tests;
  std::size_t most;
  Chosen chosen = {};

  // `below` is the path as seen from the folder that was asked for: what that itself is called decides nothing.
  void take(const fs::path& path, const fs::path& below) {
    std::error_code error;
    auto status = fs::symlink_status(path, error);
    bool source = language_of(path.string());
    if (status.type() == fs::file_type::symlink && (source || fs::is_directory(path, error))) return leave("links");
    if (status.type() == fs::file_type::directory)
      return leave("repositories within");  // git lists what is in no other
    if (!source) return take_settings(path, below, status);
    if (error == std::errc::permission_denied) return leave("not readable");
    if (error || status.type() != fs::file_type::regular) return;
    if (has_folder(below, kVendored)) return leave("vendored or built");
    if (is_of_campaign(path.parent_path(), below.parent_path())) return leave("of a campaign");
    if (is_generated(below)) return leave("generated");
    if (!tests && is_test(below)) return leave("files of tests");
    chosen.files.push_back(as_shown(path));
  }
  // Few of them hold retries, so that what is left out is not counted.
  void take_settings(const fs::path& path, const fs::path& below, const fs::file_status& status) {
    if (status.type() != fs::file_type::regular || !is_settings(path.string())) return;
    bool left = has_folder(below, kVendored) || is_of_campaign(path.parent_path(), below.parent_path()) ||
                (!tests && has_folder(below, kTests));
    if (!left) chosen.settings.push_back(as_shown(path));
  }
  void leave(const std::string& why) { chosen.left_out[why]++; }

  // Below a campaign's folder (--out), which holds the agents' own source.
  bool is_of_campaign(const fs::path& folder, const fs::path& below) {
    if (below.empty()) return false;
    auto [at, fresh] = campaigns_.try_emplace(folder.string());
    std::error_code error;
    if (fresh)
      at->second = fs::exists(folder / "campaign.db", error) || fs::exists(folder / ".retrial-campaign", error) ||
                   is_of_campaign(folder.parent_path(), below.parent_path());
    return at->second;
  }
  std::map<std::string, bool> campaigns_ = {};
  std::size_t walked_ = 0;

  void take_folder(const fs::path& folder) {
    if (!is_readable(folder)) return leave("not readable");
    auto listed = git({"-C", folder.string(), "ls-files", "-co", "--exclude-standard", "-z"}, "scan");
    if (listed && !listed->empty()) {
      for (auto name : split(*listed, '\0'))
        if (!name.empty()) take(folder / name, name);
      return;
    }
    std::error_code error;
    auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end; at.increment(error)) {
      auto name = at->path().filename().string();
      if (at->is_directory(error) && !at->is_symlink(error)) {
        bool tools = name.starts_with('.');  // .git, .venv, .retrial
        if (!tools && !is_readable(at->path())) leave("not readable");
        if (tools) at.disable_recursion_pending();
        continue;
      }
      if (walked_++ == most) return;
      take(at->path(), at->path().lexically_relative(folder));
    }
  }
};

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); i++) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c == 0) return false;
    int more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : -1;
    if (more < 0) return false;
    for (; more > 0; more--) {
      i++;
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

}  // namespace

Result<Chosen> choose_files(const std::vector<std::string>& paths, bool tests, std::size_t most) {
  Chooser chooser{tests, most};
  for (auto& path : paths) {
    std::error_code error;
    auto status = fs::status(path, error);
    if (status.type() == fs::file_type::directory) {
      chooser.take_folder(path);
    } else if (status.type() == fs::file_type::regular) {
      if (!language_of(path) && !is_settings(path))
        return fail("is not in a language that scan reads: " + names_of_languages() + ", nor settings", path,
                    Blame::user);
      auto& into = language_of(path) ? chooser.chosen.files : chooser.chosen.settings;
      into.push_back(as_shown(path));
    } else {
      return fail(fs::exists(status) ? "is neither a file nor a folder" : "there is no such file or folder", path,
                  Blame::user);
    }
  }
  if (chooser.walked_ > most)
    return fail("there are more files to look through than may be", paths.front(), Blame::user);
  for (auto* all : {&chooser.chosen.files, &chooser.chosen.settings}) {
    std::ranges::sort(*all);
    auto same = std::ranges::unique(*all);
    all->erase(same.begin(), same.end());
  }
  return std::move(chooser.chosen);
}

std::string why_not(std::string_view text) {
  if (!is_utf8(text)) return "not UTF-8";
  if (text.find('\r') != text.npos && text.find('\n') == text.npos) return "with lines that only CR ends";
  auto head = text.substr(0, 2000);
  for (std::string_view mark : {"Code generated by", "DO NOT EDIT", "@generated",
                                "Generated by the protocol buffer compiler", "Autogenerated by"})
    if (head.find(mark) != head.npos) return "generated";
  auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  if (text.size() > 5000 && text.size() / lines > 300) return "minified";
  return {};
}

}  // namespace retrial::scan
