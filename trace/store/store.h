#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "trace/campaign_record.h"

namespace retrial::trace {

// campaign.db: one SQLite file with everything a report needs. Built from the segments at the end of a campaign.
// Tables run, exchange, stage, jump, test_result, thrown, finding, judged, plan, service, campaign (key, value), and a
// view, attempt, for people (store_columns.h has the columns); its version stands in PRAGMA user_version. Replaces
// `file` whole, or leaves it.
Result<void> write_store(const std::filesystem::path& file, const CampaignRecord& campaign,
                         const std::vector<Run>& runs);

// The same piece by piece, for a trace that no memory would hold.
class StoreWriter {
 public:
  static Result<std::unique_ptr<StoreWriter>> open(const std::filesystem::path& file);
  ~StoreWriter();  // without `end` nothing of it is left
  StoreWriter(const StoreWriter&) = delete;

  // In any order. After a failure, which `end` tells, nothing more is written.
  void add(const Run& run);
  void add(std::uint64_t run, const Exchange& exchange);
  // Of exchanges that were added: which attempts of which calls they are, as is known by now.
  void correlated(std::uint64_t run, const std::vector<Exchange>& exchanges);
  // The campaign, and these runs with their exchanges, but for those that were added.
  Result<void> end(const CampaignRecord& campaign, const std::vector<Run>& runs);

 private:
  struct Impl;
  explicit StoreWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct Stored {
  CampaignRecord campaign;
  std::vector<Run> runs;
};
// An error that says what is wrong for a file that is none of ours, of another version, or torn. With `each` exchanges
// go there, in the order in which they were written, and the runs hold none.
using EachExchange = std::function<void(std::uint64_t run, Exchange&& e)>;
Result<Stored> read_store(const std::filesystem::path& file, const EachExchange& each = {});
// The campaign, and of its runs what its findings rest on: those that they name, and in them what their tests sent.
Result<Stored> read_evidence(const std::filesystem::path& file);
// Of its errors: the file was a store, and nothing is lost by making it again.
bool is_damage(const Error& error);

}  // namespace retrial::trace
