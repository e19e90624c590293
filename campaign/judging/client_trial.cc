#include "campaign/judging/client_trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <regex>
#include <set>
#include <tuple>

#include "campaign/report/looks.h"
#include "campaign/report/words.h"
#include "oracles/evidence.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/comparison.h"
#include "trace/profiles/message.h"

namespace retrial::campaign {
namespace {
using report::counted;
using report::show_ms;

constexpr std::size_t kMostSaid = 10;  // kinds of calls of which not all were kept, in the remarks

// In the traffic of `serve` a row is a fault, and a run has several.
bool met(const trace::Call& call, const trace::CaseRecord& row) {
  if (row.policy != trace::kServed) return true;
  return std::ranges::any_of(call.attempts, [&](auto* e) { return e->fired && trace::show(e->fault) == row.plan; });
}

// Where the recording was cut off: did this call end before? It did if it came to a success, or if nobody looks at it
// for any longer.
bool over(const trace::Call& call, const trace::Run& run) {
  if (run.stop != trace::Stop::cut_off || trace::recovered(call)) return true;
  return call.last().ending != trace::Ending::open &&
         run.ended - call.last().told >= oracles::horizons().near.client_time;
}

// Where the beginning of the recording is gone: may earlier attempts of this call have been there?
bool may_have_begun_before(const trace::Call& call, const trace::Run& run) {
  return run.known_from && call.first().begun - run.known_from < oracles::horizons().near.client_time;
}

// A case, and its runs laid beside its reference.
struct Weighed {
  ClientCase* client_case;
  std::vector<const trace::Comparison*> all, fit;
  std::size_t cut_off = 0;   // calls that were still going on where the recording stops
  std::size_t beheaded = 0;  // calls whose first attempts may be gone
};

// Why a run says nothing; empty: it does.
std::string unfit(const trace::Comparison& c) {
  if (!c.in_case->incomplete.empty()) return c.in_case->incomplete;
  if (c.in_case->stop == trace::Stop::interrupted) return "interrupted";
  return c.faulted.empty() ? "the fault did not fire" : "";
}

// What was seen of the faulted calls of one place.
struct Trouble {
  const trace::Exchange* first = nullptr;
  std::size_t calls = 0, recovered = 0, unsaid = 0, runs = 0, least = 0, most = 0;
  std::vector<double> gaps_ms;
  std::uint64_t seen = 0, kept = 0;  // where not every call was kept
  bool went_on = true;               // each command ended well though none of its calls did

  void add(const trace::Call& call, const trace::Run& run) {
    went_on = went_on && !trace::recovered(call) && run.stop == trace::Stop::exited && run.exit_code == 0;
    if (!first) first = &call.first();
    auto attempts = call.attempts.size();
    least = calls ? std::min(least, attempts) : attempts;
    most = std::max(most, attempts);
    calls++;
    recovered += trace::recovered(call);
    unsaid += call.unsaid;
    for (auto gap : trace::gaps(call)) gaps_ms.push_back(static_cast<double>(gap) / 1e6);
  }
  std::string text() const {
    auto out = counted(calls, "call");
    if (seen > kept) out += fmt::format(" (of {} like it)", seen);
    if (runs > 1) out += fmt::format(" in {} runs", runs);
    out += least == most ? fmt::format(", {} each", counted(most, "attempt"))
                         : fmt::format(", {} to {} attempts", least, most);
    if (!gaps_ms.empty()) {
      auto [least_gap, most_gap] = std::ranges::minmax(gaps_ms);
      auto low = show_ms(least_gap), high = show_ms(most_gap);
      out += low == high ? fmt::format(", {} apart", low) : fmt::format(", {} to {} apart", low, high);
    }
    out += fmt::format("; {} recovered", recovered);
    return unsaid ? out + fmt::format(", of {} it cannot be told", unsaid) : out;
  }
};
using Key = std::tuple<std::string, std::string, std::string>;  // service, operation, call site

std::map<Key, Trouble> places_of(const Weighed& weighed, const trace::Sift& sift) {
  std::map<Key, Trouble> places;
  for (auto* c : weighed.fit) {
    std::map<Key, bool> here;
    for (auto* call : c->faulted) {
      Key key(call->first().service, call->operation, call->site);
      places[key].add(*call, *c->in_case);
      if (here.emplace(key, true).second) places[key].runs++;
    }
    for (auto& left : sift.left_out(c->in_case->id)) {
      auto at = places.find({left.kind.service, left.kind.operation, left.kind.site});
      if (at != places.end() && !left.kind.fault.empty()) at->second.seen += left.seen, at->second.kept += left.kept;
    }
  }
  return places;
}

// Whether a write that was given up is missing, only the service knows.
void tell_of_look(const trace::CaseRecord& row, trace::CampaignRecord& record) {
  static constexpr auto kAdvice =
      "a write failed and the command ended well: `--look URL` of observe asks the service afterwards what it holds";
  bool asked = std::ranges::count(record.options, "--look") || std::ranges::count(row.options, "--look");
  if (!asked && !std::ranges::count(record.remarks, kAdvice)) record.remarks.emplace_back(kAdvice);
}

// Judged and found right: places with faulted calls of which nothing else is said.
void keep_clean(const Weighed& weighed, const trace::Sift& sift, const oracles::Judgement& judgement,
                trace::CampaignRecord& record) {
  auto& row = weighed.client_case->row;
  for (auto& [key, place] : places_of(weighed, sift)) {
    auto& e = *place.first;
    auto& operation = std::get<1>(key);
    auto about = [&](auto& said) {
      return said.operation == operation && said.site == e.tag.site &&
             trace::service_name(said.service) == trace::service_name(e.service);
    };
    auto open = [&](auto& j) { return j.fault == row.plan && j.test == row.test && (j.operation.empty() || about(j)); };
    if (std::ranges::any_of(judgement.findings, about) || std::ranges::any_of(judgement.not_judged, open)) continue;
    auto seen = place.text();
    if (row.policy == trace::kObserved && place.went_on) {
      seen += fmt::format(", and the command ended with status 0: {}", trace::kNotSeen);
      if (!trace::message::safe_method(e.method)) tell_of_look(row, record);
    }
    record.clean.push_back(
        {row.test, e.tag.site, trace::service_name(e.service), operation, row.policy, row.plan, std::move(seen)});
  }
}

bool of_a_plan(const std::string& policy) { return policy != trace::kObserved && policy != trace::kServed; }

// What several faults show of one client is one finding, told by the one that shows it best, which may be another one
// the next time. Its id is made of the first, by the alphabet, of all faults that met this call.
void name_by_first_fault(trace::Finding& f, std::span<const Weighed> all) {
  auto first = f.fault;
  for (auto& weighed : all) {
    auto& row = weighed.client_case->row;
    bool here = std::ranges::any_of(weighed.fit, [&](auto* c) {
      return std::ranges::any_of(
          c->faulted, [&](auto* call) { return call->operation == f.operation && call->first().tag.site == f.site; });
    });
    if (here && !of_a_plan(row.policy)) first = std::min(first, row.plan);
  }
  f.id = trace::finding_id(f.verdict, f.site, f.operation, first);
}

void say_left_out(std::span<const Weighed> all, const trace::Sift& sift, trace::CampaignRecord& record) {
  std::map<trace::Kind, trace::Sift::Count> kinds;
  std::map<std::uint64_t, bool> runs;
  for (auto& weighed : all)
    for (auto* c : weighed.all)
      if (runs.emplace(c->in_case->id, true).second)
        for (auto& left : sift.left_out(c->in_case->id)) {
          auto& count = kinds[left.kind];
          count.seen += left.seen;
          count.kept += left.kept;
        }
  std::size_t said = 0;
  for (auto& [kind, count] : kinds) {
    if (kind.fault.empty()) continue;
    if (said++ == kMostSaid) break;
    record.remarks.push_back(fmt::format("{}{} under {}: {} of {} calls like it were judged", kind.operation,
                                         kind.site.empty() ? "" : " at " + kind.site, kind.fault, count.kept,
                                         count.seen));
  }
}

// What --look read, beside what it reads without the fault.
void tell_looks(const ClientCase& of, trace::CampaignRecord& record) {
  if (of.row.policy != trace::kObserved || !of.reference) return;
  for (auto* run : of.runs)
    for (auto& line : report::what_looks_show(*of.reference, *run, of.control))
      if (std::ranges::count(record.remarks, line) == 0) record.remarks.push_back(line);
}

// What the command sends without the fault, and never came to with it.
void say_not_reached(const Weighed& weighed, trace::CampaignRecord& record) {
  constexpr std::size_t kNamed = 3;
  auto& row = weighed.client_case->row;
  if (row.policy != trace::kObserved || weighed.fit.empty()) return;
  std::set<std::string> told;
  for (auto* c : weighed.all)
    for (auto& e : c->in_case->exchanges) told.insert(e.operation);
  std::vector<std::string> named;  // the next that it would have come to first
  for (auto& e : weighed.fit.front()->reference->exchanges)
    if (!oracles::is_look(e) && told.insert(e.operation).second) named.push_back(e.operation);
  if (named.empty()) return;
  auto at = std::regex_replace(named.front(), std::regex(R"(\{[^}]*\})"), "*");  // as --at has it
  auto more = named.size() > kNamed ? fmt::format(", and {} more", named.size() - kNamed) : "";
  named.resize(std::min(named.size(), kNamed));
  record.remarks.push_back(
      fmt::format("under {} the command never came to {}{}, so nothing is known of that: a fault at that "
                  "alone (--at '{}') lets it go so far, and retrial run puts each call of a suite on trial by itself",
                  row.plan, fmt::join(named, ", "), more, at));
}

}  // namespace

bool judge_client(std::span<ClientCase> client_cases, const trace::Sift& sift, trace::CampaignRecord& record) {
  const trace::Run nothing;
  std::deque<trace::Comparison> comparisons;
  std::vector<Weighed> all;
  std::vector<oracles::ComparedCase> compared_cases;
  for (auto& client_case : client_cases) {
    Weighed weighed{&client_case, {}, {}};
    for (auto* run : client_case.runs) {
      auto& c =
          comparisons.emplace_back(trace::compare(client_case.reference ? *client_case.reference : nothing, *run));
      std::erase_if(c.faulted, [&](auto* call) { return !met(*call, client_case.row); });
      weighed.cut_off += std::erase_if(c.faulted, [&](auto* call) { return !over(*call, *run); });
      weighed.beheaded += std::erase_if(c.faulted, [&](auto* call) { return may_have_begun_before(*call, *run); });
      weighed.all.push_back(&c);
      if (auto why = unfit(c); why.empty())
        weighed.fit.push_back(&c);
      else
        client_case.row.why = why;
    }
    auto& row = client_case.row;
    bool fired = std::ranges::any_of(weighed.all, [](auto* c) { return !c->faulted.empty(); });
    if (weighed.cut_off + weighed.beheaded != 0 && !fired) weighed.all.clear();
    row.outcome = !weighed.fit.empty() ? "run" : fired || weighed.all.empty() ? "incomplete" : "not_fired";
    if (!weighed.fit.empty()) row.why.clear();
    if (!weighed.all.empty()) compared_cases.push_back({&row, weighed.all, client_case.hold, client_case.control});
    all.push_back(std::move(weighed));
  }

  auto judgement = oracles::judge(compared_cases);
  for (auto* list : {&judgement.findings, &judgement.notes})
    for (auto& f : *list) {
      f.confirmed = true;
      if (!of_a_plan(f.policy)) name_by_first_fault(f, all);
    }
  for (auto& weighed : all) {
    tell_looks(*weighed.client_case, record);
    keep_clean(weighed, sift, judgement, record);
    say_not_reached(weighed, record);
    if (weighed.cut_off != 0)
      judgement.not_judged.push_back(
          trace::judged(weighed.client_case->row,
                        fmt::format("{} still going on where the trace stops", counted(weighed.cut_off, "call"))));
    if (weighed.beheaded != 0)
      judgement.not_judged.push_back(trace::judged(
          weighed.client_case->row, fmt::format("{} whose first attempts may be gone with the beginning of the trace",
                                                counted(weighed.beheaded, "call"))));
    for (auto* c : weighed.fit.empty() ? decltype(weighed.all)() : weighed.all)
      if (auto why = unfit(*c); !why.empty())
        judgement.not_judged.push_back(
            trace::judged(weighed.client_case->row, fmt::format("run {}: {}", c->in_case->id, why)));
    record.cases.push_back(weighed.client_case->row);
  }
  auto add = [](auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  add(judgement.findings, record.findings);
  for (auto& note : judgement.notes) {
    auto told = [&](auto& n) { return n.verdict == note.verdict && n.message == note.message && n.site == note.site; };
    if (std::ranges::none_of(record.notes, told)) record.notes.push_back(note);
  }
  add(judgement.not_judged, record.not_judged);
  say_left_out(all, sift, record);
  return judgement.needs_more_runs;
}

std::vector<trace::CaseRecord> rows_by_fault(std::span<const trace::Run> runs) {
  std::vector<trace::CaseRecord> rows;
  for (auto& run : runs) {
    std::set<std::string> faults;
    for (auto& e : run.exchanges)
      if (e.fired) faults.insert(trace::show(e.fault));
    for (auto& fault : faults)
      rows.push_back({.id = fmt::format("c{}", rows.size() + 1),
                      .policy = std::string(trace::kServed),
                      .plan = fault,
                      .runs = {run.id}});
  }
  return rows;
}

void GatheredTrace::take(std::uint64_t run, trace::Exchange&& e) {
  auto address = trace::service_name(e.service);
  auto& s = services_[address];
  s.address = address;
  if (s.profile.empty() || s.profile == "generic") s.profile = e.profile;
  s.exchanges++;
  sift_.take(run, std::move(e));
}

std::vector<trace::ServiceSeen> GatheredTrace::services() const {
  std::vector<trace::ServiceSeen> out;
  for (auto& [address, s] : services_) out.push_back(s);
  return out;
}

}  // namespace retrial::campaign
