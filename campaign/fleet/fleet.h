#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "campaign/fleet/clocks.h"
#include "campaign/judging/stored_setting.h"
#include "proxy/out/access_log.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// One recording of a fleet: a folder of `serve`, and in it a run for each start of the proxy, each with a clock.
struct Member {
  std::filesystem::path folder;
  std::uint64_t exchanges = 0;
  struct Start {
    std::uint64_t run = 0;  // its number there
    std::size_t clock = 0;  // its number in FleetClocks
    proxy::WallTime wall;
  };
  std::vector<Start> starts;
  const Start* start(std::uint64_t run) const;  // or null
};

struct Fleet {
  std::vector<Member> members;    // that could be read
  std::vector<std::string> left;  // folders that could not, a line each
  FleetClocks clocks{0, {}};
};
// Reads the recordings for their clocks alone.
Fleet read_fleet(const std::vector<std::filesystem::path>& folders);

struct FleetOutcome {
  Fleet fleet;
  trace::CampaignRecord record;  // of all: a finding is told once, with who shows it
  std::vector<trace::Run> runs;  // that findings refer to, with what is their evidence
};
// Judges them one after the other, so that memory does not grow with their number, and brings together what was found.
// Nothing is written into the folders.
FleetOutcome judge_fleet(const StoredSetting& setting);

// Of a fleet what its clocks say, in a line; empty: it is a single clock.
std::string clocks_line(const Fleet& fleet);
// Members with their exchanges, clocks and bounds, as JSON.
std::string fleet_json(const Fleet& fleet);

}  // namespace retrial::campaign
