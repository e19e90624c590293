#pragma once
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "campaign/workload/time_saved.h"
#include "trace/store/store.h"

namespace retrial::campaign {

// Every run of a campaign: in memory for as long as somebody looks at it, and from then on in the campaign's store
// alone, so that a long campaign takes no more memory than a short one. Main thread.
class RunLog {
 public:
  explicit RunLog(std::filesystem::path store) : file_(std::move(store)) {}

  trace::Run& keep(trace::Run run);  // stays where it is until it is let go
  // Nobody looks for it here any more; it is given away. None: it was let go before.
  std::optional<trace::Run> let_go(std::uint64_t run);
  void let_go_all() { let_go_but(0); }
  void let_go_but(std::uint64_t run);
  std::list<trace::Run>& held() { return held_; }

  // Of all that there were.
  std::size_t size() const { return size_; }
  const std::string& incomplete() const { return incomplete_; }  // why the first of them that is so may not be judged
  const TimeSaved& saved() const { return saved_; }

  // Lets all go; the store is whole then. An error where anything of it could not be written.
  Result<void> end(const trace::CampaignRecord& campaign);

 private:
  void store(const trace::Run& run);

  std::filesystem::path file_;
  std::list<trace::Run> held_;
  std::size_t size_ = 0;
  std::string incomplete_;
  TimeSaved saved_;
  std::unique_ptr<trace::StoreWriter> writer_;
  Result<void> ok_;
};

}  // namespace retrial::campaign
