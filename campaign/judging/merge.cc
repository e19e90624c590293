#include "campaign/judging/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "campaign/judging/site_samples.h"
#include "campaign/planning/shard.h"
#include "trace/comparing/slices.h"
#include "trace/executions.h"

namespace retrial::campaign {
namespace {

struct Part {
  std::string folder;
  Shard shard;
  trace::Stored stored;
};

Result<Part> read_part(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return fail("there is no such folder", folder.string(), Blame::user);
  auto file = folder / "campaign.db";
  if (!std::filesystem::exists(file))
    return fail("holds no campaign.db: this shard was cut short before its end", folder.string(), Blame::user);
  auto stored = trace::read_store(file);
  if (!stored) return std::unexpected(stored.error());
  auto shard = parse_shard(stored->campaign.shard);
  if (!shard) return fail("is no shard: its campaign was run without --shard", folder.string(), Blame::user);
  return Part{folder.string(), *shard, std::move(*stored)};
}

// Those of the plan that most are of, by number; the others are told.
std::map<int, Part> of_one_plan(std::vector<Part> parts, std::vector<std::string>& left) {
  auto plan_of = [](const Part& part) { return std::pair(part.stored.campaign.plan, part.shard.of); };
  std::map<std::pair<std::string, int>, int> plans;
  for (auto& part : parts) plans[plan_of(part)]++;
  auto& most = std::ranges::max_element(parts, {}, [&](auto& part) { return plans[plan_of(part)]; })[0];
  auto plan = plan_of(most);
  auto first = most.folder;
  std::map<int, Part> out;
  for (auto& part : parts) {
    auto& there = part.stored.campaign;
    auto number = part.shard.number;
    if (there.plan != plan.first)
      left.push_back(
          fmt::format("{}: is left out: its plan is {}, that of {} is {}; one plan file for all (run --plan) "
                      "makes them the same",
                      part.folder, there.plan, first, plan.first));
    else if (part.shard.of != plan.second)
      left.push_back(fmt::format("{}: is left out: it is one of {} shards, {} is one of {}", part.folder, part.shard.of,
                                 first, plan.second));
    else if (out.contains(number))
      left.push_back(
          fmt::format("{}: is left out: {} is shard {} too", part.folder, out.at(number).folder, there.shard));
    else
      out.emplace(number, std::move(part));
  }
  return out;
}

// Numbers of runs begin with 1 in each shard.
void renumber(trace::Stored& stored, std::uint64_t by) {
  auto& c = stored.campaign;
  for (auto& run : stored.runs) run.id += by;
  for (auto& row : c.cases) {
    for (auto& run : row.runs) run += by;
    if (row.reference) row.reference += by;
  }
  for (auto* list : {&c.findings, &c.notes})
    for (auto& f : *list) {
      if (f.run) f.run += by;
      if (f.reference) f.reference += by;
    }
}

// A finding is told once.
void take(std::vector<trace::Finding>& from, std::vector<trace::Finding>& to) {
  for (auto& f : from)
    if (std::ranges::find(to, f.id, &trace::Finding::id) == to.end()) to.push_back(std::move(f));
}
template <class T>
void append(std::vector<T>& from, std::vector<T>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

void take(std::vector<trace::ServiceSeen>& from, std::vector<trace::ServiceSeen>& to) {
  for (auto& s : from) {
    auto known = std::ranges::find(to, s.address, &trace::ServiceSeen::address);
    if (known == to.end())
      to.push_back(std::move(s));
    else
      known->exchanges = std::max(known->exchanges, s.exchanges);  // of one and the same suite
  }
}

// What each shard says of itself; once where all say it.
std::vector<std::string> together(const std::map<int, Part>& parts,
                                  std::vector<std::string> trace::CampaignRecord::* of) {
  std::map<std::string, std::set<int>> said;
  std::vector<std::string> order, out;
  for (auto& [number, part] : parts)
    for (auto& line : part.stored.campaign.*of) {
      if (!said.contains(line)) order.push_back(line);
      said[line].insert(number);
    }
  for (auto& line : order)
    out.push_back(said[line].size() == parts.size() ? line
                                                    : fmt::format("shard {}: {}", fmt::join(said[line], ", "), line));
  return out;
}

std::string missing(const std::map<int, Part>& parts) {
  std::vector<int> gone;
  auto of = parts.begin()->second.shard.of;
  for (int n = 1; n <= of; n++)
    if (!parts.contains(n)) gone.push_back(n);
  std::vector<std::string> why;
  if (!gone.empty())
    why.push_back(fmt::format("shard{} {} of {} {} missing", gone.size() == 1 ? "" : "s", fmt::join(gone, ", "), of,
                              gone.size() == 1 ? "is" : "are"));
  for (auto& [number, part] : parts)
    if (auto& said = part.stored.campaign.incomplete; !said.empty())
      why.push_back(fmt::format("shard {}: {}", number, said));
  return fmt::format("{}", fmt::join(why, "; "));
}

// What only all cases together show.
class Sites {
 public:
  explicit Sites(const trace::Stored& whole) : whole_(whole) {
    for (auto& run : whole.runs) {
      runs_[run.id] = &run;
      if (run.kind == trace::RunKind::alone && run.tests.size() == 1) alone_.try_emplace(run.tests.front(), &run);
    }
    for (auto& row : whole.campaign.cases)
      if (row.outcome == "run") add(row);
  }
  std::vector<trace::Finding> findings() const { return samples_.compare(whole_.campaign.hold).findings; }
  void settle(trace::CampaignRecord& record) const { samples_.settle(record); }

 private:
  void add(const trace::CaseRecord& row) {
    for (auto id : row.runs | std::views::reverse) {
      auto* run = runs_[id];
      if (!run || run->kind != trace::RunKind::with_fault) continue;
      bool company = run->case_id.empty();
      auto alone = alone_.find(row.test);
      auto* reference = company ? slice(row.reference, row.test) : alone == alone_.end() ? nullptr : alone->second;
      auto* in_case = company ? slice(id, trace::execution_of(row.test, row.execution)) : run;
      if (!reference || !in_case) continue;
      return samples_.add(row, trace::compare(*reference, *in_case));
    }
  }
  const trace::Run* slice(std::uint64_t id, const std::string& test) {
    auto run = runs_.find(id);
    if (run == runs_.end()) return nullptr;
    auto [slices, fresh] = slices_.try_emplace(id);
    if (fresh) slices->second = trace::slices_of(*run->second);
    auto it = slices->second.find(test);
    return it == slices->second.end() ? nullptr : &it->second;
  }

  const trace::Stored& whole_;
  std::map<std::uint64_t, const trace::Run*> runs_;
  std::map<std::string, const trace::Run*> alone_;  // by test
  std::map<std::uint64_t, std::map<std::string, trace::Run>> slices_;
  SiteSamples samples_;
};

// Every part has read the same source: of each location what the part says that knows most of it.
void take(const std::vector<trace::RetryLocation>& from, std::vector<trace::RetryLocation>& to) {
  auto known = [](auto& at) { return std::string_view("never reached right wrong").find(at.state); };
  for (auto& at : from) {
    auto same = [&](auto& o) { return o.file == at.file && o.line == at.line && o.what == at.what; };
    auto it = std::ranges::find_if(to, same);
    if (it == to.end())
      to.push_back(at);
    else if (known(at) > known(*it))
      *it = at;
  }
}

}  // namespace

Result<Merged> merge(const StoredSetting& setting) {
  Merged out;
  std::vector<Part> read;
  for (auto& folder : setting.folders) {
    if (auto part = read_part(folder); part)
      read.push_back(std::move(*part));
    else
      out.left.push_back(part.error().line());
  }
  if (read.empty())
    return fail(out.left.size() == 1 ? out.left.front() : out.left.front() + "; the other folders hold no shard either",
                {}, Blame::user);
  auto parts = of_one_plan(std::move(read), out.left);
  auto& record = out.whole.campaign;
  auto& first = parts.begin()->second.stored.campaign;
  record.command = first.command;
  record.runner = first.runner;
  record.directory = first.directory;
  record.capture = first.capture;
  record.hold = first.hold;
  record.plan = first.plan;
  record.wall_began = first.wall_began;
  record.left_alone = together(parts, &trace::CampaignRecord::left_alone);
  record.remarks = together(parts, &trace::CampaignRecord::remarks);
  record.incomplete = missing(parts);
  std::uint64_t highest = 0;
  for (auto& [number, part] : parts) {
    auto& c = part.stored.campaign;
    renumber(part.stored, highest);
    for (auto& run : part.stored.runs) highest = std::max(highest, run.id);
    record.wall_began = std::min(record.wall_began, c.wall_began);
    if (c.took > record.took) record.took = c.took, record.overhead = c.overhead;  // they went side by side
    take(c.services, record.services);
    take(c.retries, record.retries);
    append(c.cases, record.cases);
    take(c.findings, record.findings);
    take(c.notes, record.notes);
    append(c.clean, record.clean);
    append(c.not_judged, record.not_judged);
    append(part.stored.runs, out.whole.runs);
  }
  Sites sites(out.whole);
  sites.settle(record);
  auto of_sites = sites.findings();
  take_from_clean(record.clean, of_sites);
  take(of_sites, record.findings);
  mark_known(record, setting.config, setting.since);
  return out;
}

}  // namespace retrial::campaign
