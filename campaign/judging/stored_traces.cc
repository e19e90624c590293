#include "campaign/judging/stored_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "campaign/judging/afterwards.h"
#include "campaign/judging/checked.h"
#include "campaign/judging/client_trial.h"
#include "campaign/workload/time_saved.h"
#include "checkers/file.h"
#include "trace/calls/correlator.h"
#include "trace/comparing/slices.h"
#include "trace/recording/segment.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  std::uint64_t offset = 0;  // of its runs' numbers here
  trace::CampaignRecord record;
  std::vector<trace::Run> runs;
  std::unique_ptr<trace::StoreWriter> store;  // of `serve`: to be ended with what is found
};

class Judge {
 public:
  explicit Judge(const StoredSetting& setting) : setting_(setting) {}

  JudgeOutcome run() {
    for (auto& path : setting_.folders) {
      auto folder = read(path);
      if (folder)
        folders_.push_back(std::move(*folder));
      else
        out_.record.not_judged.push_back({.why = folder.error().line()});
    }
    out_.read = folders_.size();
    describe();
    for (auto& folder : folders_) add_cases(folder);
    judge_client(client_cases_, gathering_.sift(), out_.record);
    mark_known(out_.record, setting_.config, setting_.since);
    for (auto& folder : folders_) store(folder);
    for (auto& folder : folders_) std::ranges::move(folder.runs, std::back_inserter(out_.runs));
    return std::move(out_);
  }

 private:
  Result<Folder> read(const fs::path& path);
  Result<void> read_stored(Folder& folder);
  Result<void> read_served(Folder& folder, const fs::path& trace, const std::string& incomplete);
  void read_in_part(std::vector<trace::Run>& runs);
  void describe();
  void add_cases(Folder& folder);
  bool check(const Folder& folder);
  const trace::Run* reference_of(const Folder& folder, const trace::CaseRecord& row) const;
  const trace::Run* as_tried(const trace::Run* run, const trace::CaseRecord& row);
  void store(Folder& folder);

  const StoredSetting& setting_;
  JudgeOutcome out_;
  GatheredTrace gathering_;
  std::vector<Folder> folders_;
  std::vector<ClientCase> client_cases_;
  std::deque<trace::Run> slices_;  // that cases have in place of a run
  std::uint64_t highest_ = 0;      // number of a run so far
};

Result<Folder> Judge::read(const fs::path& path) {
  Folder folder{.path = path, .offset = highest_};
  bool served = holds_segments(path);
  Result<void> ok;
  if (served)
    ok = read_served(folder, path, {});
  else if (fs::exists(path / "campaign.db"))
    ok = read_stored(folder);
  else if (fs::exists(path / "trace"))
    ok = read_served(folder, path / "trace", "it was cut short before its end");
  else
    ok = fail("holds no trace of ours: neither campaign.db nor segments", path.string(), Blame::user);
  if (!ok) return std::unexpected(ok.error());
  if (folder.runs.empty()) return fail("its trace holds no run", path.string(), Blame::user);
  for (auto& run : folder.runs) {
    run.id += folder.offset;
    gathering_.give(run);
    if (served) {
      trace::Correlator::correlate_again(run.exchanges);
      // Of a run that was kept in part alone the rest has other numbers of calls.
      if (folder.store && gathering_.sift().exchanges(run.id) == run.exchanges.size())
        folder.store->correlated(run.id - folder.offset, run.exchanges);
    }
    gathering_.part_turns(run);
    highest_ = std::max(highest_, run.id);
  }
  for (auto& row : folder.record.cases) {
    for (auto& run : row.runs) run += folder.offset;
    if (row.reference) row.reference += folder.offset;
  }
  out_.served |= served;
  return folder;
}

Result<void> Judge::read_stored(Folder& folder) {
  bool any = false;
  auto stored = trace::read_store(folder.path / "campaign.db", [&](std::uint64_t run, trace::Exchange&& e) {
    any = true;
    gathering_.take(folder.offset + run, std::move(e));
  });
  if (!stored && !any && fs::exists(folder.path / "trace"))
    return read_served(folder, folder.path / "trace", stored.error().line());
  if (!stored) return std::unexpected(stored.error());
  folder.record = std::move(stored->campaign);
  folder.runs = std::move(stored->runs);
  return {};
}

// `serve` was killed, or goes on, or the oldest of it is not kept: what is there stands all the same, exchange by
// exchange.
void Judge::read_in_part(std::vector<trace::Run>& runs) {
  auto& remarks = out_.record.remarks;
  for (auto& run : runs) {
    bool beheaded = run.incomplete.starts_with(trace::kBeheaded);
    if (!beheaded && run.incomplete != trace::kNotEnded) continue;
    if (beheaded) remarks.push_back(run.incomplete);
    if (run.stop == trace::Stop::cut_off)
      remarks.push_back(
          "the trace stops before `serve` has ended: it was killed, goes on, or could not write the last of it (its "
          "log says so)");
    run.incomplete.clear();
  }
}

// Of `serve`, or of a command without a store, which `incomplete` says why.
Result<void> Judge::read_served(Folder& folder, const fs::path& trace, const std::string& incomplete) {
  bool served = trace == folder.path;
  if (served && setting_.store) {
    auto store = trace::StoreWriter::open(folder.path / "campaign.db");
    if (store)
      folder.store = std::move(*store);
    else
      out_.failed = store.error().line();
  }
  Afterwards afterwards;
  trace::Reading reading;
  if (served) reading.head = [&](std::uint64_t run, trace::Exchange& e) { afterwards.head(run, e); };
  reading.over = [&](std::uint64_t run, trace::Exchange&& e) {
    if (served) afterwards.over(run, e);
    if (folder.store) folder.store->add(run, e);
    if (setting_.seen) setting_.seen(run, e);
    gathering_.take(folder.offset + run, std::move(e));
  };
  auto runs = trace::read_segments(trace, std::move(reading));
  if (!runs) return std::unexpected(runs.error());
  folder.runs = std::move(*runs);
  folder.record.runner = served ? "serve" : "command";
  if (folder.runs.empty()) return {};
  if (served) read_in_part(folder.runs);
  if (!incomplete.empty()) folder.record.incomplete = incomplete + "; what its trace holds was judged";
  folder.record.wall_began = folder.runs.front().wall_began;
  for (auto& run : folder.runs) folder.record.took += trace::lasted(run);
  return {};
}

void Judge::describe() {
  auto& r = out_.record;
  // What is the same for all of them.
  auto common = [&](auto member) {
    if (folders_.empty()) return;
    auto& first = folders_.front().record.*member;
    if (std::ranges::all_of(folders_, [&](auto& folder) { return folder.record.*member == first; })) r.*member = first;
  };
  common(&trace::CampaignRecord::command);
  common(&trace::CampaignRecord::options);
  common(&trace::CampaignRecord::runner);
  common(&trace::CampaignRecord::directory);
  common(&trace::CampaignRecord::capture);
  common(&trace::CampaignRecord::hold);
  for (auto& folder : folders_)
    if (auto& why = folder.record.incomplete; !why.empty() && r.incomplete.empty())
      r.incomplete = folders_.size() == 1 ? why : folder.path.string() + ": " + why;
  TimeSaved saved;
  for (auto& folder : folders_) {
    r.wall_began = r.wall_began ? std::min(r.wall_began, folder.record.wall_began) : folder.record.wall_began;
    r.took += folder.record.took;
    for (auto& run : folder.runs) saved.add(run);
    if (folders_.size() > 1)
      r.remarks.push_back(
          folder.runs.size() == 1
              ? fmt::format("run {}: {}", folder.runs.front().id, folder.path.string())
              : fmt::format("runs {} to {}: {}", folder.runs.front().id, folder.runs.back().id, folder.path.string()));
  }
  if (auto line = saved.line(); !line.empty()) r.remarks.push_back(line);
  r.services = gathering_.services();
}

bool without_faults(const Folder& folder) {
  return folder.record.cases.empty() && std::ranges::none_of(folder.runs, [](auto& run) {
           return std::ranges::any_of(run.exchanges, &trace::Exchange::fired);
         });
}

const trace::Run* Judge::as_tried(const trace::Run* run, const trace::CaseRecord& row) {
  if (!run || row.followed_by.empty() || run->tests != trace::tests_of(row)) return run;
  return &slices_.emplace_back(trace::slice_with_next(*run, row));
}

const trace::Run* Judge::reference_of(const Folder& folder, const trace::CaseRecord& row) const {
  auto find = [](const Folder& in, auto is) -> const trace::Run* {
    auto at = std::ranges::find_if(in.runs, is);
    return at == in.runs.end() ? nullptr : &*at;
  };
  auto* alone =
      find(folder, [&](auto& run) { return run.kind == trace::RunKind::alone && run.tests == trace::tests_of(row); });
  if (alone && !row.followed_by.empty()) return alone;
  if (row.reference) return find(folder, [&](auto& run) { return run.id == row.reference; });
  if (row.policy == trace::kObserved || row.policy == trace::kServed) {
    for (auto& other : folders_)
      if (without_faults(other))
        if (auto* run = find(other, [](auto& r) { return r.incomplete.empty(); })) return run;
    return nullptr;
  }
  return alone ? alone : find(folder, [](auto& run) { return run.kind == trace::RunKind::reference; });
}

// Of `observe`: once more without the fault.
const trace::Run* control_of(const Folder& folder) {
  auto at = std::ranges::find(folder.runs, trace::RunKind::without_fault, &trace::Run::kind);
  return at == folder.runs.end() || !at->incomplete.empty() ? nullptr : &*at;
}

// What was recorded without any fault, held against checkers: a recording, or of a campaign its references. False where
// none are in use.
bool Judge::check(const Folder& folder) {
  if (checkers::in_use().empty()) return false;
  std::vector<const trace::Run*> runs;
  for (auto& run : folder.runs) {
    bool of_case = !folder.record.cases.empty() && run.kind != trace::RunKind::reference;
    if (of_case || !run.incomplete.empty() || std::ranges::any_of(run.exchanges, &trace::Exchange::fired)) continue;
    if (gathering_.sift().exchanges(run.id) == run.exchanges.size())
      runs.push_back(&run);
    else
      out_.record.not_judged.push_back(
          {.why = fmt::format("{}: too long to be held whole, so no checker was asked", folder.path.string())});
  }
  check_without_faults(runs, out_.record);
  return true;
}

void Judge::add_cases(Folder& folder) {
  bool checked = check(folder);
  if (without_faults(folder)) {
    if (!checked)
      out_.record.remarks.push_back(folder.path.string() +
                                    (std::ranges::all_of(folders_, without_faults)
                                         ? ": no fault was injected, so nothing of it was judged"
                                         : ": no fault was injected; the others are laid beside it where they have no "
                                           "reference of their own"));
    for (auto& run : folder.runs)
      if (!run.incomplete.empty())
        out_.record.not_judged.push_back({.why = fmt::format("{}: {}", folder.path.string(), run.incomplete)});
    return;
  }
  if (folder.record.cases.empty()) folder.record.cases = rows_by_fault(folder.runs);
  for (auto& row : folder.record.cases) {
    if (trace::is_stressed(row.policy)) {  // what grew there is no retry, and not all of it is held
      out_.record.not_judged.push_back(
          trace::judged(row, "of `retrial stress`, which measures: its report stands, and replay measures again"));
      continue;
    }
    row.options = folder.record.options;
    ClientCase client_case{
        .row = row, .reference = as_tried(reference_of(folder, row), row), .hold = folder.record.hold};
    if (client_case.reference) client_case.row.reference = client_case.reference->id;
    if (row.policy == trace::kObserved) client_case.control = control_of(folder);
    for (auto& run : folder.runs)
      if (std::ranges::count(row.runs, run.id) &&
          (run.kind == trace::RunKind::with_fault || row.policy == trace::kServed))
        client_case.runs.push_back(as_tried(&run, row));
    if (!client_case.runs.empty())
      client_cases_.push_back(std::move(client_case));
    else
      out_.record.cases.push_back(row);  // it was never run; its outcome says why
  }
}

// The store of what `serve` recorded: with what was found, where nothing else was judged with it.
void Judge::store(Folder& folder) {
  if (!folder.store) return;
  auto record = folder.record;
  if (folders_.size() == 1) record = out_.record;
  for (auto& row : record.cases)
    for (auto& run : row.runs) run -= folder.offset;
  auto bare = folder.runs;
  for (auto& run : bare) {
    run.id -= folder.offset;
    run.exchanges.clear();
  }
  if (auto ok = folder.store->end(record, bare); !ok && out_.failed.empty()) out_.failed = ok.error().line();
}

}  // namespace

JudgeOutcome judge(const StoredSetting& setting) { return Judge(setting).run(); }

}  // namespace retrial::campaign
