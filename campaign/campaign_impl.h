#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/planning/plan.h"
#include "campaign/planning/references.h"
#include "campaign/report/terminal.h"
#include "campaign/retry_code.h"
#include "campaign/workload/context.h"
#include "campaign/workload/run_log.h"
#include "campaign/workload/workers.h"

namespace retrial::campaign {

// One campaign, from its references to its reports; for campaign*.cc. All that is referred to must outlive it.
class Campaign {
 public:
  Campaign(const CampaignSetting& setting, const Clock& clock, Executor& executor,
           const std::vector<std::string>& argv);

  void run();
  void replay(const trace::Stored& earlier, const trace::Finding& finding);
  // What it has brought, in the store and the reports.
  CampaignOutcome write();

 private:
  void describe();
  Result<void> put_on_trial();
  Result<void> show_again(const trace::Stored& earlier, const trace::Finding& finding);
  Result<void> collect();
  void open(Plan& plan);
  void set_workers();
  void drop_further(Plan& plan);
  void try_all(Plan& plan);
  void keep_findings(std::vector<trace::Finding> from, std::vector<trace::Finding>& to);
  void stop_for(const Error& error);
  void ended(const Result<void>& done);
  Nanos spent() const { return clock_.now() - began_; }
  Nanos time_left() const;
  Pace pace() const { return pace_of(refs_, workers_.most(), setting_.config.run.alone); }
  void show_plan(const Plan& plan);
  Result<const trace::Run*> run_backwards();
  Result<void> learn();
  Result<const trace::Run*> run_alone(const std::string& test);
  void learn_from(const trace::Run& alone, const std::vector<trace::CaseRecord>& cases);
  void check_suites();

  const CampaignSetting& setting_;
  const Clock& clock_;
  Executor& executor_;
  const std::vector<std::string>& argv_;
  CampaignOutcome out_;
  Slots slots_;
  std::FILE* const said_on_;
  report::LiveLine live_;
  Nanos began_;
  RunLog runs_;
  Workers workers_;
  CampaignContext context_;
  References refs_;
  RetryCode retry_code_;
};

}  // namespace retrial::campaign
