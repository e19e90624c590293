#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "campaign/workload/context.h"
#include "oracles/oracle.h"

namespace retrial::campaign {

// What one case has brought. Findings are confirmed: seen again with the fault, and not without it.
struct CaseResult {
  std::vector<trace::Finding> findings;
  std::vector<trace::Finding> notes;
  std::vector<trace::Judged> clean;
  std::vector<trace::Judged> not_judged;
  int attempts = 0;     // that the fault met, of one call or of several side by side; 0: it did not fire
  bool spoilt = false;  // the test no longer passes without faults: what needs it cannot be judged
};

// How long a run goes on after a death, in the client's time, where somebody still asks: longer than any wait that
// oracles take for bounded.
inline constexpr Nanos kAfterDeath = 420 * kSecond;

// Gives a run its aims, and what ends or lifts their faults: `hold`, and how far any oracle looks.
void aim(RunSpec& spec, std::vector<Aim> aims, const RunSettings& settings);

// Tries a case with its test alone in a process of its own, run by run: with the fault (again, while an oracle's
// evidence is too thin), without it (the first such run of a test is the reference of all its cases), and where
// something is found both again, until
//
//   the finding               is seen alone   and a run without the fault has passed
//   suspected in company      once            once
//   not suspected before      twice           once
//   rests on how its test     once more       once
//   ended
//   of an unsteady test       three times     three times
//
// Beside the two references, and what the test did in company. A test that fails alone without the fault is run so once
// more: if it passes then, it is unsteady. An unsteady test is as others where the finding is about how the client
// retries, in a run that was no hang: that shows in the faulted attempts. Where no run leaves anything at a service for
// the next, and it does not rest on how its test ended, the run without the fault may be of an earlier case. Whoever
// runs it asks for the next run until there is none. Fills the row's outcome, why and runs.
class Trial {
 public:
  // Both must outlive it. `suspected`: what a run in company has shown.
  Trial(CampaignContext& context, Case& c, std::vector<trace::Finding> suspected, bool unsteady);

  std::optional<RunSpec> next();    // none: it is over
  void ran(const trace::Run& run);  // stays where it is
  // Unless it is over, it is now: others have confirmed the same meanwhile, as `why` says.
  void answered(std::string why);
  // What it is about: what it has found; before that, what was suspected, or what thin evidence leans to.
  const std::vector<trace::Finding>& about() const {
    return found_ && !found_->empty() ? *found_ : suspected_.empty() ? leaning_ : suspected_;
  }
  CaseResult& result() { return result_; }
  // Of the first run with the fault, while it lasts; null: there was none.
  const trace::Comparison* seen() const { return comparisons_.empty() ? nullptr : &comparisons_.front(); }
  const std::vector<std::uint64_t>& runs() const { return runs_; }  // that nobody looks at once it is over
  Case& the_case() const { return case_; }

 private:
  enum class Ask { nothing, alone, with, without };
  Ask ask() const;
  std::optional<Target> as_alone() const;
  void reference_ran(const trace::Run& run);
  void with_ran(const trace::Run& run);
  void compare_with(const trace::Run& run);
  void without_ran(const trace::Run& run);
  void weigh();
  oracles::Judgement judge_with_company(const oracles::Judgement& alone) const;
  void conclude();
  bool rests_on_outcome(const trace::Finding& finding) const;
  void not_judged(std::string why);
  void over(std::string outcome, std::string why);

  CampaignContext& context_;
  Case& case_;
  std::vector<trace::Finding> suspected_, leaning_;
  bool unsteady_;
  CaseResult result_;
  const trace::Run* reference_ = nullptr;
  const trace::Run* first_ = nullptr;  // with the fault, before there was a reference to lay it beside
  Ask asked_ = Ask::nothing;
  bool over_ = false, thin_ = false;
  bool missed_ = false;                               // its fault did not fire alone, once
  std::optional<Target> target_;                      // where its call has another site or service alone
  bool alone_failed_ = false;                         // once: by load, perhaps
  std::optional<std::vector<trace::Finding>> found_;  // by every run with the fault; none: there was none as yet
  int with_ = 0, without_ = 0;                        // runs that count for what was found
  int wanted_with_ = 1, wanted_without_ = 1;
  std::vector<std::uint64_t> runs_;
  std::deque<trace::Run> slices_;  // of its runs, where its test is followed by another (CaseRecord::followed_by)
  std::deque<trace::Comparison> comparisons_;  // those shown to the oracles stay where they are
  std::vector<const trace::Comparison*> shown_;
};

}  // namespace retrial::campaign
