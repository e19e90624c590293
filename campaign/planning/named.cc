#include "campaign/planning/named.h"

#include <algorithm>
#include <filesystem>

#include "base/regular_file.h"
#include "base/text.h"
#include "scan/files.h"

namespace retrial::campaign {
namespace {

constexpr std::size_t kMostOfFile = 1 << 20;

std::string letters_of(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != '-' && c != '_') out += c;
  return lower(out);
}

}  // namespace

Named::Named(std::string_view words, const Tests& tests, By whom) : whom_(whom) {
  for (auto word : split(words, ' ')) {
    letters_.push_back(letters_of(word));
    for (auto& [test, run] : tests)
      for (auto& e : run->exchanges)
        if (!trace::find(e.response_headers, word).empty()) services_.insert(e.service);
  }
  if (whom_ != By::application) return;
  std::set<std::string> files;
  for (auto& [test, run] : tests)
    for (auto& e : run->exchanges)
      if (e.tag.site)
        for (auto& frame : trace::frames_of(*e.tag.site)) files.insert(frame.file);
  anywhere_ = std::ranges::any_of(files, [&](auto& file) { return in_file(file); }) || in_project();
}

// What a chain does not hold: a helper that is called beside the request, as one that waits.
bool Named::in_project() {
  auto chosen = scan::choose_files({"."}, false, scan::kProjectFiles);
  if (!chosen) return false;
  std::uintmax_t bytes = 0;
  std::error_code error;
  return std::ranges::any_of(chosen->files, [&](auto& file) {
    auto size = std::filesystem::file_size(file, error);
    return !error && size <= scan::kLargest && (bytes += size) <= scan::kProjectBytes && in_file(file);
  });
}

bool Named::by(const Target& call) {
  if (services_.contains(call.service) || anywhere_) return true;
  return whom_ == By::chain && call.site &&
         std::ranges::any_of(trace::frames_of(*call.site), [&](auto& f) { return in_file(f.file); });
}

bool Named::in_file(const std::string& path) {
  auto [known, first] = files_.emplace(path, false);
  if (first) {
    auto letters = letters_of(read_regular_file(path, kMostOfFile).value_or(""));
    known->second = std::ranges::any_of(letters_, [&](auto& word) { return letters.contains(word); });
  }
  return known->second;
}

}  // namespace retrial::campaign
