#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/config/config.h"
#include "campaign/judging/known_findings.h"
#include "campaign/planning/deaths.h"
#include "campaign/planning/near_misses.h"
#include "campaign/planning/selection.h"
#include "campaign/workload/ways_in.h"
#include "checkers/learn.h"
#include "policies/policy.h"
#include "proxy/capture/tree.h"
#include "trace/campaign_record.h"
#include "trace/store/store.h"

namespace retrial::campaign {

struct CampaignSetting {
  std::vector<std::string> command;
  Config config;
  std::filesystem::path folder;  // of this campaign; exists
  std::vector<const policies::Policy*> policies;
  Capture capture;
  std::optional<Ids> since;  // findings of an earlier report, which do not fail this one
  Selection selection = {};
  bool plan_only = false;     // stop after the plan
  bool aside = false;         // stdout is for what follows: what is said on the way goes to stderr, as of look_only
  bool predict_only = false;  // no case is tried: which orders nothing keeps, and which deaths may be seen
  bool learn_only = false;    // the references, and each test alone: what checkers are learned from
  bool stress = false;        // no policy is tried: answers are made to grow (campaign/stress)
  bool look_only = false;     // stop after one run without faults: nothing is planned, and no report is written
};

struct CampaignOutcome {
  trace::CampaignRecord record;
  bool interrupted = false;
  bool nothing_to_try = false;  // no test was left to try: record.incomplete says why
  // Of plan_only:
  std::vector<Forecast> forecasts;  // their times from the campaign's beginning on
  std::string plan_file;            // its text
  std::vector<MayTurn> may_turn;    // of predict_only
  std::size_t further_apart = 0;    // likewise: pairs that are not among them for that alone
  std::vector<MayDie> may_die;      // likewise
  checkers::Learned learned;        // of learn_only
  // Of look_only:
  std::optional<trace::Run> seen;  // that run; none: it did not come to be
  std::size_t tests = 0;           // of it, that can be put on trial
  std::set<std::string> opened;    // "ADDRESS, name NAME": services whose TLS was opened
  std::set<std::string> runners;   // that spoke, whatever the command is called
  std::set<std::string> reached;   // addresses that were connected to, whatever was spoken
};

// Reference, plan, cases, confirmation; then the store and the reports in the folder. Prints the opening paragraph and
// the live line to stdout. An error only where not even a report could be made.
Result<CampaignOutcome> run_campaign(const CampaignSetting& setting, const Clock& clock);

// Shows one finding of an earlier campaign again: the test without the fault, then with it. The outcome holds that case
// alone.
Result<CampaignOutcome> replay(const CampaignSetting& setting, const trace::Stored& earlier,
                               const trace::Finding& finding, const Clock& clock);

}  // namespace retrial::campaign
