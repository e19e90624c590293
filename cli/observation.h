#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/judging/client_trial.h"
#include "campaign/workload/execution.h"
#include "cli/call_teller.h"
#include "cli/observe_options.h"
#include "trace/campaign_record.h"
#include "trace/store/store.h"

namespace retrial::cli {

// As a shell tells it.
int shell_status(const trace::Run& run);

// The runs of one command, as they are made, and what is to be said of them. It keeps neither options nor spec.
class Observation {
 public:
  static constexpr auto kCase = "c1";

  Observation(const ObserveOptions& options, const campaign::RunSpec& spec, std::string capture,
              std::unique_ptr<trace::StoreWriter> store);
  int most() const;  // runs with the fault

  // Without the fault: before those with it, and after them.
  void refer_to(trace::Run run);
  void control_with(trace::Run run);
  void remark(std::vector<std::string> remarks);
  // With it.
  void add(trace::Run run);
  // Whoever ends us before the first run's end wants to know what it has shown: it is judged as one that a time limit
  // has ended.
  void add_cut_short(trace::Run run);
  // Their first connections failed, and the command is run again, as if that had not been.
  void leave(const std::set<std::string>& distrusting);

  // Would one more run with the fault help?
  bool judge();
  // Did a look (--look) show anything else than without the fault? Only a control says whether that lies at the fault.
  bool wants_control() const;
  // What is kept of the runs goes into the reports, all of it into the store.
  Result<void> write(const std::filesystem::path& folder);
  const std::vector<trace::Run>& runs() const { return runs_; }
  const trace::CampaignRecord& record() const { return record_; }

 private:
  std::string fired_often() const;
  bool referred() const { return reference_ && reference_->incomplete.empty(); }
  void keep(trace::Run run);
  void gather(trace::Run& run);

  const ObserveOptions& options_;
  Nanos hold_;
  std::unique_ptr<trace::StoreWriter> store_;
  trace::CampaignRecord base_, record_;
  campaign::GatheredTrace gathering_;
  std::optional<trace::Run> reference_, control_;
  std::vector<trace::Run> runs_;
  CallTeller teller_;
};

}  // namespace retrial::cli
