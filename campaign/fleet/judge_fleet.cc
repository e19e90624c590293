#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "campaign/fleet/fleet.h"
#include "campaign/fleet/starts.h"
#include "campaign/judging/stored_traces.h"
#include "campaign/report/words.h"

namespace retrial::campaign {
namespace {

constexpr std::size_t kNamed = 5;  // members that a finding names

// What all members say, each thing once, and how many said it.
class Together {
 public:
  void take(JudgeOutcome outcome, const std::string& member, FleetOutcome& out) {
    auto& record = out.record;
    auto by = highest_;
    std::map<std::uint64_t, std::set<std::uint64_t>> wanted;  // evidence, by run
    for (auto [from, to] :
         {std::pair(&outcome.record.findings, &record.findings), std::pair(&outcome.record.notes, &record.notes)})
      for (auto& f : *from) {
        auto& seen = findings_[{f.id, f.note}];
        seen.members++;
        if (seen.named.size() < kNamed) seen.named.push_back(member);
        if (seen.members > 1) {
          auto& first = *std::ranges::find_if(*to, [&](auto& known) { return known.id == f.id; });
          first.confidence = std::max(first.confidence, f.confidence);
          continue;
        }
        wanted[f.run].insert(f.evidence.begin(), f.evidence.end());
        f.run += by;
        f.reference = 0;
        to->push_back(std::move(f));
      }
    for (auto& run : outcome.runs) {
      highest_ = std::max(highest_, run.id + by);
      auto ids = wanted.find(run.id);
      if (ids == wanted.end()) continue;
      std::erase_if(run.exchanges, [&](auto& e) { return !ids->second.contains(e.id); });
      run.id += by;
      out.runs.push_back(std::move(run));
    }
    for (auto& s : outcome.record.services) {
      auto known = std::ranges::find(record.services, s.address, &trace::ServiceSeen::address);
      if (known == record.services.end())
        record.services.push_back(std::move(s));
      else
        known->exchanges += s.exchanges;
    }
    unite(outcome.record.clean, clean_);
    unite(outcome.record.not_judged, not_judged_);
  }
  void end(FleetOutcome& out) {
    auto& record = out.record;
    auto of = out.fleet.members.size();
    for (auto* list : {&record.findings, &record.notes}) {
      for (auto& f : *list) {
        auto& seen = findings_[{f.id, f.note}];
        f.message += fmt::format(" (at {} of {}: {}{})", seen.members, report::counted(of, "member"),
                                 fmt::join(seen.named, ", "), seen.members > seen.named.size() ? ", …" : "");
      }
      std::ranges::stable_sort(*list, std::greater(), &trace::Finding::confidence);
    }
    auto found = [&](const trace::Judged& j) {
      return std::ranges::any_of(record.findings, [&](auto& f) {
        return f.operation == j.operation && f.site == j.site && f.service == j.service;
      });
    };
    for (auto& [key, said] : clean_)
      if (!found(said.first)) record.clean.push_back(at(said));
    for (auto& [key, said] : not_judged_) record.not_judged.push_back(at(said));
  }

 private:
  struct Seen {
    std::size_t members = 0;
    std::vector<std::string> named;
  };
  struct Said {
    trace::Judged first;
    std::size_t members = 0;
  };
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static void unite(std::vector<trace::Judged>& from, std::map<Key, Said>& to) {
    for (auto& j : from) {
      auto& said = to[{j.service, j.operation, j.site ? trace::key_of(*j.site) : "", j.fault}];
      if (said.members++ == 0) said.first = std::move(j);
    }
  }
  static trace::Judged at(Said& said) {
    if (said.members > 1)
      said.first.why += fmt::format("; the like at {} more", report::counted(said.members - 1, "member"));
    return std::move(said.first);
  }
  std::map<std::pair<std::string, bool>, Seen> findings_;
  std::map<Key, Said> clean_, not_judged_;
  std::uint64_t highest_ = 0;
};

}  // namespace

FleetOutcome judge_fleet(const StoredSetting& setting) {
  FleetOutcome out;
  Together together;
  Starts starts;
  Sightings sightings;
  auto& record = out.record;
  record.runner = "serve";
  for (auto& folder : setting.folders) {
    Member member{.folder = folder};
    StoredSetting one{.folders = {folder},
                      .config = setting.config,
                      .since = setting.since,
                      .store = false,
                      .seen = [&](auto run, const trace::Exchange& e) {
                        member.exchanges++;
                        sightings.take(starts.clock_of(run), e);
                      }};
    auto outcome = judge(one);
    member.starts = starts.end(outcome.runs);
    if (outcome.read == 0) {
      for (auto& said : outcome.record.not_judged) out.fleet.left.push_back(said.why);
      continue;
    }
    if (record.wall_began == 0 || outcome.record.wall_began < record.wall_began)
      record.wall_began = outcome.record.wall_began;
    record.took = std::max(record.took, outcome.record.took);
    together.take(std::move(outcome), folder.string(), out);
    out.fleet.members.push_back(std::move(member));
  }
  out.fleet.clocks = starts.clocks(sightings);
  together.end(out);
  for (auto& line : out.fleet.left) record.not_judged.push_back({.why = line});
  if (auto line = clocks_line(out.fleet); !line.empty()) record.remarks.push_back(line);
  return out;
}

}  // namespace retrial::campaign
