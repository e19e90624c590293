#include "campaign/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/fleet/starts.h"
#include "campaign/report/words.h"
#include "trace/recording/segment.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::ordered_json;

double ms(Nanos time) { return static_cast<double>(time / 1000) / 1000; }

}  // namespace

const Member::Start* Member::start(std::uint64_t run) const {
  auto at = std::ranges::find(starts, run, &Start::run);
  return at == starts.end() ? nullptr : &*at;
}

Fleet read_fleet(const std::vector<std::filesystem::path>& folders) {
  Fleet fleet;
  Starts starts;
  Sightings sightings;
  for (auto& folder : folders) {
    Member member{.folder = folder};
    auto runs = trace::read_segments(folder, {.head = {}, .over = [&](auto run, trace::Exchange&& e) {
                                                member.exchanges++;
                                                sightings.take(starts.clock_of(run), e);
                                              }});
    member.starts = starts.end(runs ? *runs : std::vector<trace::Run>());
    if (runs && !runs->empty())
      fleet.members.push_back(std::move(member));
    else
      fleet.left.push_back(runs ? folder.string() + ": its trace holds no run" : runs.error().line());
  }
  fleet.clocks = starts.clocks(sightings);
  return fleet;
}

std::string clocks_line(const Fleet& fleet) {
  auto clocks = fleet.clocks.all();
  if (clocks.size() < 2) return {};
  auto tied = std::ranges::count_if(clocks, &FleetClock::tied);
  if (fleet.clocks.shared() == 0)
    return fmt::format(
        "clocks: none of {} shares an exchange with another (by traceparent or x-request-id): each has its own",
        clocks.size());
  Nanos error = 0;
  for (auto& clock : clocks)
    if (clock.tied) error = std::max(error, clock.error);
  auto line = fmt::format("clocks: {} of {} are tied together by {} that two of them saw; no more than {:.3f} ms off",
                          tied, clocks.size(), report::counted(fleet.clocks.shared(), "exchange"), ms(error));
  if (fleet.clocks.contradicted())
    line += fmt::format("; {} did not fit and were left out", fleet.clocks.contradicted());
  return line;
}

std::string fleet_json(const Fleet& fleet) {
  Json members = Json::array();
  for (auto& member : fleet.members) {
    Json starts = Json::array();
    for (auto& start : member.starts) {
      auto& clock = fleet.clocks.all()[start.clock];
      Json one{{"run", start.run}, {"tied", clock.tied}, {"shared", clock.shared}};
      if (clock.tied) {
        one["offset_ms"] = ms(clock.offset);
        one["error_ms"] = ms(clock.error);
        one["steps"] = clock.steps.size();
      }
      starts.push_back(std::move(one));
    }
    members.push_back(
        {{"folder", member.folder.string()}, {"exchanges", member.exchanges}, {"clocks", std::move(starts)}});
  }
  Json json{{"version", 1},
            {"members", std::move(members)},
            {"shared", fleet.clocks.shared()},
            {"contradicted", fleet.clocks.contradicted()},
            {"left", fleet.left}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace retrial::campaign
