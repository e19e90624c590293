#include "campaign/workload/run_log.h"

#include <algorithm>

namespace retrial::campaign {

trace::Run& RunLog::keep(trace::Run run) {
  size_++;
  saved_.add(run);
  if (incomplete_.empty()) incomplete_ = run.incomplete;
  return held_.emplace_back(std::move(run));
}

void RunLog::store(const trace::Run& run) {
  if (!writer_ && ok_) {
    auto writer = trace::StoreWriter::open(file_);
    if (writer)
      writer_ = std::move(*writer);
    else
      ok_ = std::unexpected(writer.error());
  }
  if (writer_) writer_->add(run);
}

std::optional<trace::Run> RunLog::let_go(std::uint64_t id) {
  auto it = std::ranges::find(held_, id, &trace::Run::id);
  if (it == held_.end()) return {};
  store(*it);
  auto run = std::move(*it);
  held_.erase(it);
  return run;
}

void RunLog::let_go_but(std::uint64_t id) {
  for (auto& run : held_)
    if (run.id != id) store(run);
  held_.remove_if([&](auto& run) { return run.id != id; });
}

Result<void> RunLog::end(const trace::CampaignRecord& campaign) {
  let_go_all();
  if (writer_) return writer_->end(campaign, {});
  return ok_ ? trace::write_store(file_, campaign, {}) : ok_;
}

}  // namespace retrial::campaign
