#include "campaign/retry_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scan/tried.h"
#include "scan/verdicts.h"

namespace retrial::campaign {
namespace {

// Against what a policy is worth of itself (planning/plan.cc, 0.5 to 2): retry code is what is on trial.
constexpr double kInRetryCode = 1.5, kSuspected = 2;
constexpr const char* kStates[] = {"", "wrong", "right", "reached", "never"};

trace::RetryLocation told(const scan::Location& at) {
  trace::RetryLocation out{
      .file = at.file,
      .line = static_cast<int>(at.line),
      .function = at.function,
      .what = show(at.shape) + (at.by.empty() ? "" : " " + at.by) + (at.calls.empty() ? "" : " " + at.calls),
      .bound = show(at.bound),
      .wait = show(at.wait),
      .verdicts = {},
      .ids = {},
      .state = kStates[at.tried.state],
      .text = at.tried.text};
  for (auto& verdict : at.verdicts) {
    auto* joint = out.verdicts.empty() ? "" : ", ";
    out.verdicts += fmt::format("{}{} {}", joint, verdict.confidence, verdict.name);
    out.ids += fmt::format("{}{}", out.ids.empty() ? "" : ",", scan::id_of(at, verdict));
  }
  return out;
}

}  // namespace

void RetryCode::begin() {
  auto chosen = scan::choose_files({"."}, false);
  if (!chosen) return;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (auto& file : chosen->files)
    if (auto size = std::filesystem::file_size(file, error); !error && size <= scan::kLargest) bytes += size;
  if (bytes > kMost) return void(too_much_ = bytes);
  reading_ = std::async(std::launch::async, [files = std::move(*chosen)] { return scan::scan_files(files); });
}

const std::vector<scan::Location>& RetryCode::locations() {
  if (reading_.valid()) locations_ = reading_.get().locations;
  return locations_;
}

void RetryCode::raise(std::vector<Case>& cases) {
  auto& all = locations();
  scan::Through through(std::filesystem::current_path());
  for (auto& c : cases) {
    double factor = 1;
    for (auto& at : all)
      if (through(c.row.site, at)) factor = std::max(factor, at.verdicts.empty() ? kInRetryCode : kSuspected);
    c.value *= factor;
  }
}

void RetryCode::hold_against(trace::CampaignRecord& record) {
  if (too_much_)
    record.remarks.push_back(fmt::format(
        "the project's source is not held against this campaign: it is {} MiB, and up to {} are read; retrial scan "
        "--against does it",
        too_much_ >> 20, kMost >> 20));
  locations();
  scan::hold_against(locations_, record);
  for (auto& at : locations_) record.retries.push_back(told(at));
}

}  // namespace retrial::campaign
