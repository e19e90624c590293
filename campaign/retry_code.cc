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
      .state = word(at.tried),
      .text = at.tried.text};
  for (auto& verdict : at.verdicts) {
    auto* joint = out.verdicts.empty() ? "" : ", ";
    out.verdicts += fmt::format("{}{} {}", joint, verdict.confidence, verdict.name);
    out.ids += fmt::format("{}{}", out.ids.empty() ? "" : ",", verdict.id);
  }
  return out;
}

}  // namespace

void RetryCode::read() {
  auto chosen = scan::choose_files({"."}, false, scan::kProjectFiles);
  std::uintmax_t bytes = 0;
  std::error_code error;
  if (chosen)
    for (auto& file : chosen->files)
      if (auto size = std::filesystem::file_size(file, error); !error && size <= scan::kLargest) bytes += size;
  too_much_ = !chosen || bytes > scan::kProjectBytes;
  if (!too_much_) locations_ = scan::scan_files(*chosen).locations;
}

void RetryCode::raise(std::vector<Case>& cases) const {
  scan::Through through(std::filesystem::current_path());
  for (auto& c : cases) {
    double factor = 1;
    for (auto& at : locations_)
      if (through(c.row.site, at)) factor = std::max(factor, at.verdicts.empty() ? kInRetryCode : kSuspected);
    c.value *= factor;
  }
}

void RetryCode::hold_against(trace::CampaignRecord& record) {
  if (too_much_)
    record.remarks.push_back(
        fmt::format("the project's source was not held against this campaign: there is more than {} MiB of it, or of "
                    "files around it; retrial scan --against does it",
                    scan::kProjectBytes >> 20));
  scan::hold_against(locations_, record);
  for (auto& at : locations_)
    if (at.tried.state != scan::Tried::not_asked) record.retries.push_back(told(at));
  if (record.retries.empty() && !locations_.empty())
    record.remarks.push_back(
        "which of the source's retry locations were tried is not known: no call site of what was sent was seen");
}

}  // namespace retrial::campaign
