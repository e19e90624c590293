#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "trace/finding.h"

namespace retrial::trace {

struct ServiceSeen {
  std::string address;
  std::string name;  // from retrial.toml, else empty
  std::string profile;
  std::uint64_t exchanges = 0;
};

// CaseRecord::policy of what was no case of a campaign: every call of a command, or of the traffic of `serve`, was
// aimed at.
inline constexpr std::string_view kObserved = "observe", kServed = "serve";
// Of a call whose answers were made larger and larger (campaign/stress): "stress pages".
inline constexpr std::string_view kStressed = "stress";
inline bool is_stressed(std::string_view policy) { return policy.starts_with(kStressed); }

// How the application takes back what one of its steps has done, as the suite without faults shows it: the
// compensation of a saga (Garcia-Molina and Salem, "Sagas", SIGMOD'87).
struct Compensation {
  std::string step;          // the operation that it takes back: "POST /holds"; "": none is known
  std::string by;            // "DELETE /holds/{id}"
  std::string at;            // the call site that sends it, as shown
  bool after_error = false;  // by the function that had done the step, when a later one was refused
  std::string seen;          // "POST /charges was answered 402 in test_declined", or the test alone
};

// One row of the plan, and what became of it.
struct CaseRecord {
  std::string id;      // "c12"
  std::string policy;  // "P1"
  std::string plan;    // the policy's faults in the fault language
  std::string test;
  std::optional<CallSite> site;
  std::string service;
  std::string operation;
  int occurrence = 1;
  std::string outcome;  // planned | run | answered (by another case) | left (budget) | not_fired | incomplete
  std::string why;      // for answered, left, not_fired, incomplete
  std::vector<std::uint64_t> runs;
  int execution = 1;  // of its test, in the last of its runs in company (trace/executions.h)
  // The test (or, by its name, its own next execution) that is executed after it in the same process, to see whether
  // the failure is still there; empty: none.
  std::string followed_by;
  // The suite without faults has a 5xx that this call site gave its caller as an answer: its test passed with it.
  bool hands_on_errors = false;
  // What other tests of the suite without faults write about a thing after this call has looked it up: operation and
  // call site each.
  std::vector<std::string> guards = {};
  Compensation compensation = {};         // of a step that comes before this call, in the same function
  std::uint64_t reference = 0;            // the run beside them; 0: none, or (a campaign) the test's own `alone`
  std::vector<std::string> options = {};  // of `observe`, where several are judged together: CampaignRecord's
};

// Is this what the finding was seen in?
inline bool is_case_of(const CaseRecord& row, const Finding& finding) {
  return row.policy == finding.policy && row.plan == finding.fault && row.test == finding.test &&
         row.operation == finding.operation && row.site == finding.site;
}
// That whose run shows it: of several, of which one meets the first and one the last of a test's calls, and where the
// fault met another call than the one that is told of. Else one of that call; or the end.
inline auto case_of(const std::vector<CaseRecord>& rows, const Finding& finding) {
  auto shown = [&](auto& row) { return std::ranges::count(row.runs, finding.run) != 0; };
  auto of_call = [&](auto& row) { return is_case_of(row, finding); };
  auto of_another = [&](auto& row) {
    return row.policy == finding.policy && row.plan == finding.fault && row.test == finding.test;
  };
  auto row = std::ranges::find_if(rows, [&](auto& c) { return of_call(c) && shown(c); });
  if (row == rows.end()) row = std::ranges::find_if(rows, [&](auto& c) { return of_another(c) && shown(c); });
  return row != rows.end() ? row : std::ranges::find_if(rows, of_call);
}

// The case as an entry of `clean` or `not_judged`.
inline Judged judged(const CaseRecord& row, std::string why) {
  return {row.test, row.site, row.service, row.operation, row.policy, row.plan, std::move(why)};
}

// A place in the project's own source from which something that failed is tried again (`retrial scan`), and what became
// of it in the campaign.
struct RetryLocation {
  std::string file;  // relative to the campaign's directory where it is below it
  int line = 0;
  std::string function;
  std::string what;      // "loop requests.post"
  std::string bound;     // "attempts: range(5)"
  std::string wait;      // "growing: 2 ** n"
  std::string verdicts;  // "likely missing-cap, possible missing-delay"; empty: none
  std::string ids;       // of these, by commas
  std::string state;     // wrong | right | reached | never
  std::string text;      // of the state: "P3, test test_price"
};
inline bool is_tried(const RetryLocation& at) { return at.state == "wrong" || at.state == "right"; }

// What a campaign has to say, beside its runs. Reports are made from this and the runs alone.
struct CampaignRecord {
  std::vector<std::string> command;
  std::vector<std::string> options = {};  // of `observe`, without which what was found may not be seen again
  std::string runner;                     // "pytest", "node:test", "command"
  std::string directory;                  // working directory of the command
  std::string folder;  // this campaign's, where it does not lie in the directory's .retrial; below the directory
                       // relative to it
  std::int64_t wall_began = 0;
  Nanos took = 0;
  Nanos overhead = 0;   // of that, ours: neither tests nor clients' waiting
  std::string capture;  // "seccomp (getfd)"
  Nanos hold = 0;       // how long a stalled exchange was held; 0: for as long as the client waited
  std::vector<ServiceSeen> services;
  std::vector<CaseRecord> cases;
  std::vector<Finding> findings;  // worst first
  std::vector<Finding> notes;
  std::vector<Judged> clean;
  std::vector<Judged> not_judged;
  std::vector<RetryLocation> retries;  // of the project's source; empty: there are none, or it was not read
  std::vector<std::string>
      left_alone;                    // hosts, tests, processes that were passed over, each with why, ready to be shown
  std::vector<std::string> remarks;  // other lines for the reader: "workers = 4: one is run"
  std::string incomplete;            // why the campaign is incomplete; empty: it is not
  std::string plan;                  // sixteen hex digits that stand for all its cases, those of other shards too
  std::string shard;                 // "2/5": the cases are a part of the plan; empty: all of it
};

}  // namespace retrial::trace
