#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/judging/company_verdict.h"
#include "campaign/judging/site_samples.h"
#include "campaign/planning/company.h"
#include "campaign/planning/schedule.h"
#include "campaign/trial.h"

namespace retrial::campaign {

// Tries the cases of a plan on all workers: in company, many in a run, and what looks suspicious there, or cannot be
// told there, alone. What they bring goes to `record`. All that is referred to must outlive it.
class Trials {
 public:
  // `time_left`: until the budget ends; kNoLimit: there is none.
  Trials(CampaignContext& context, const References& refs, Plan& plan,
         std::span<const policies::Policy* const> policies, trace::CampaignRecord& record,
         std::function<Nanos()> time_left);

  // Until all are done, the budget is spent, or Ctrl-C. An error where nothing can be run any more; what was under way
  // is over then.
  Result<void> run();
  // What only all cases together show: call sites that do not do as the others of their client.
  std::vector<trace::Finding> compared_sites() const { return samples_.compare(context_.config.run.hold).findings; }
  void settle() { samples_.settle(record_); }
  // Cases that looked suspicious, and were not looked at until that was confirmed: their rows say why.
  std::size_t suspicions() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(plan_.cases, [](auto& c) { return c.planned() && !c.row.why.empty(); }));
  }

 private:
  Nanos time_for(bool further) const;
  Nanos by_pace_so_far(Nanos expected, Nanos all) const;

  using Suspected = std::vector<trace::Finding>;
  struct Pending {  // to be tried alone
    Case* c = nullptr;
    Suspected suspected;
    bool thin = false;  // that is no more than what its evidence leans to
  };

  Result<bool> begin_one();
  Result<bool> begin_company(Company company);
  Result<bool> begin_trial();
  Result<bool> go_on(Trial& trial);
  Company next_company();
  void enlist(Company company);
  void dismiss(const std::function<bool(const Company&)>& which);  // of those that are to be run
  void ended(std::uint64_t number, const trace::Run& run);
  void company_ended(const Company& company, trace::Run run);
  void take(Shown shown);
  void clean(Case& c, oracles::Judgement judgement);
  void seen_too(Case& c, std::string why);
  void again(Case& c);
  void try_alone(Case& c, Suspected suspected, bool thin = false);
  struct Confirmed {
    std::string verdict;
    std::vector<std::string> tests = {};
  };
  Confirmed confirming(const trace::Finding& suspected, const Case& c) const;
  std::string confirmed_elsewhere(const Case& c, const Suspected& suspected) const;
  void answer_pending();
  bool about_to_be_answered(const Pending& pending) const;
  std::deque<Pending>::iterator next_pending();
  void disturbed(const CompanyVerdict& verdict);
  void tell_who_disturbs();
  void trial_over(Trial& trial);
  void fold();
  void leave(const std::string& test, const std::string& why);
  void keep(std::vector<trace::Finding> from, std::vector<trace::Finding>& to);
  struct Together {  // what is tried in company now
    std::size_t cases = 0, tests = 0, done = 0;
    Nanos gone = 0;  // of what it was expected to take
  };
  Together together() const;
  Nanos expected_left(bool further) const;
  report::Progress progress() const;
  void say(const Case& c, std::string_view decided);

  CampaignContext& context_;
  const References& refs_;
  Plan& plan_;
  Schedule schedule_;
  trace::CampaignRecord& record_;
  std::function<Nanos()> time_left_;
  Nanos began_;
  std::size_t begun_alone_ = 0;  // cases
  bool trials_stand_alone_;      // what they say to their services another worker's tests would see

  std::map<std::uint64_t, Company> companies_;  // under way, by run
  std::map<std::uint64_t, Trial*> trials_;      // likewise
  std::list<Trial> open_;                       // begun, and not over
  std::deque<Trial*> ready_;                    // of these, the ones that wait for their next run
  std::deque<Company> companies_to_run_;        // made, and their cases under way
  std::deque<Pending> pending_;
  SiteSamples samples_;
  std::set<std::string> disturbers_;                                              // tests whose faults other tests feel
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> felt_;  // by who feels them, and how
  std::map<std::string, std::string> own_way_;  // what these do otherwise where others are left out
  std::set<std::string> asked_by_itself_;       // these were run so, or will be
  std::set<std::string> once_;                  // tests that do not do the same twice in one process
  // Tests that did not do as they always do, though nothing was done to them: another's fault, or their own way.
  std::set<std::string> shaky_;
  // Cases that have confirmed a verdict, by it and their family: two paths of one call site show what it does.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> confirmed_;
};

}  // namespace retrial::campaign
