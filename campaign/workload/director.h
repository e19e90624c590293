#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/workload/at.h"
#include "campaign/workload/events.h"
#include "campaign/workload/native_sites.h"
#include "policies/fault_plan.h"
#include "proxy/exchange/director.h"
#include "trace/calls/correlator.h"
#include "trace/profiles/openapi.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

// The call a policy is aimed at: the n-th call of that site (or, without one, operation) in that test; 0: all of them,
// whose attempts are counted as if they were one call's, however often its functions call themselves on the way.
struct Target {
  std::string test;
  std::optional<trace::CallSite> site;
  std::string service;  // trace::Services
  std::string operation;
  int occurrence = 1;
};

// What is aimed at, and with what. Without a target every call is aimed at (`observe --inject`), or those `at` what is
// named.
struct Aim {
  std::optional<Target> target;
  policies::FaultPlan plan;
  std::uint64_t seed = 0;  // of its chances
  std::optional<At> at = {};
};

// When an aimed call has been looked at for long enough: faults are lifted from a call that has made more attempts, or
// has gone on for longer. 0: never.
struct Lift {
  int attempts = 0;
  Nanos client_time = 0;
};

// Decides for one run: follows the events file, correlates, and hands the targeted calls' attempts their faults.
// Loop thread only.
class CampaignDirector final : public proxy::Director {
 public:
  // `run` is filled from the events file as they come. Both must outlive the director. `only_test` stands where no hook
  // says which test runs (a runner that is not known: the command is one test). `lessons`: of
  // the reference.
  CampaignDirector(trace::Run& run, Events& events, std::vector<Aim> aims, std::string only_test = {},
                   trace::Lessons lessons = {}, Lift lift = {});

  // Services (by address) whose profile is said, not found from the traffic. Before the first request.
  // Under "" stands the profile in whose shape errors are injected, whatever the service is.
  void read_as(std::map<std::string, std::string> profiles) {
    profiles_ = std::move(profiles);
    if (auto all = profiles_.extract("")) errors_as_ = all.mapped();
  }

  // Descriptions of services, by address, by which errors are injected where no profile is known. Likewise.
  void describe(trace::Descriptions descriptions) { descriptions_ = std::move(descriptions); }

  // By whom requests of machine code are told where they come from; without one they have no call site. Likewise.
  void tell_sites(NativeSites sites) { native_sites_ = std::move(sites); }

  // Whose connections are left alone: our own look's, when the command has ended.
  void spare(std::int32_t process) { spared_ = process; }

  bool awaits_body(const trace::Exchange& head) const override { return profile_of(head).names_in_body(head); }
  proxy::Decision at_head(const trace::Exchange& head) override;
  proxy::ConnectDecision at_connect(const proxy::Connecting& connecting) override;
  bool keeps_responses() const override;
  void over(const trace::Exchange& exchange) override;

  int target_attempts() const;  // the most attempts of a faulted call so far
  // How often a process has sent one request, answered with an error each time, and no other that was: of them all the
  // most of late.
  int in_vain() const;

 private:
  // An aim, and what it has met.
  struct Aiming {
    Aim aim;
    policies::Dice dice;
    int occurrence = 0;
    std::set<std::uint64_t> calls = {};
    std::set<std::uint64_t> requests = {};  // where all are aimed at: what has met it, whoever asks for it then
    int attempts = 0;                       // the most of a call; of all of them, where all are aimed at
    bool takes_all() const { return aim.target && aim.target->occurrence == 0; }
    Nanos since = 0;  // its first attempt
    bool given_up = false;
  };
  void read_frames(trace::Tag& tag);
  const trace::Profile& profile_of(const trace::Exchange& head) const;
  // The error of a service that no profile knows: as it is described, or as it gave one itself; null: neither.
  const trace::ErrorShape* own_error(const trace::Exchange& head, const std::string& service, int status) const;
  static bool meets(Aiming& aiming, const trace::Exchange& head, const std::string& service);
  Aiming* aimed_at(const trace::Exchange& head, const std::string& service, const trace::Assignment& assigned);
  bool lifted(const Aiming& aiming, Nanos now) const;

  trace::Run& run_;
  Events& events_;
  std::vector<Aiming> aims_;
  std::string only_test_;
  std::int32_t spared_ = 0;
  std::map<std::string, std::string> profiles_;
  std::string errors_as_;
  trace::Descriptions descriptions_;
  std::optional<NativeSites> native_sites_;
  trace::Lessons lessons_;
  Lift lift_;
  trace::Correlator correlator_;
  trace::ServicesOfRun services_;
  struct InVain {
    std::uint64_t request = 0;
    int times = 0;
  };
  std::map<std::int32_t, InVain> in_vain_;                           // by process
  std::map<std::pair<std::int32_t, std::string>, int> connections_;  // of a process to a service, so far
};

}  // namespace retrial::campaign
