#pragma once
#include <filesystem>
#include <map>
#include <vector>

#include "scan/location.h"
#include "trace/campaign_record.h"

namespace retrial::scan {

// Which call sites lead through a location: those whose chains have a frame in the function that it stands in; in its
// file, where a library is set up outside of any. Files are the same if their absolute paths are.
class Through {
 public:
  // What the frames' files are relative to; a location's are relative to the current directory.
  explicit Through(std::filesystem::path directory) : directory_(std::move(directory)) {}
  bool operator()(const std::optional<trace::CallSite>& site, const Location& at);
  // 2: the chain is in its file; 1: in its folder; 0: it is further away.
  int nearness(const std::optional<trace::CallSite>& site, const Location& at);

 private:
  const std::string& absolute(const std::string& file, const std::filesystem::path& from);
  std::filesystem::path directory_;
  std::map<std::string, std::string> known_;
};

// Tells each location what became of it in a campaign, and each of its verdicts what that campaign showed of it. Where
// that campaign saw no call site at all, it is not asked.
void hold_against(std::vector<Location>& locations, const trace::CampaignRecord& campaign);

}  // namespace retrial::scan
