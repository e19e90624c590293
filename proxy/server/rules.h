#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "policies/chance.h"
#include "proxy/exchange/director.h"
#include "proxy/server/settings.h"
#include "trace/calls/correlator.h"

namespace retrial::proxy {

bool matches(const Match& match, const trace::Exchange& head);  // but for match.operation, which costs more

// What came of a rule so far, in all loops.
struct RuleCounts {
  std::atomic<std::uint64_t> matched{0}, planned{0}, withheld{0}, fired{0};  // withheld: Safety had none left
};

// The rules of one configuration. Never changed: a reload makes another.
struct Rules {
  std::vector<RuleSettings> rules;
  std::map<std::string, std::string> profiles;  // by "host:port"
  trace::Descriptions descriptions;             // of services that no profile knows

  // What is worked out of them once, for all loops (numbered).
  struct Known {
    std::size_t number = 0;  // among all rules that ever were in force
    std::shared_ptr<RuleCounts> counts = {};
  };
  std::vector<Known> known = {};  // of each rule
  std::size_t numbers = 0;        // given so far
  // Which rules may fit a service, by their places, in order: those that name it, and those that name none.
  std::unordered_map<std::string, std::vector<std::uint32_t>> naming = {};
  std::vector<std::uint32_t> anywhere = {};
  bool strikes_requests = false, strikes_connections = false, keeps_responses = false;
};
// With all that is worked out. A rule that was there before keeps its number and its counts, wherever it stands now.
std::shared_ptr<const Rules> numbered(Rules rules, const Rules* before = nullptr);

// Which call, and which attempt of it, for the loops of one server together: attempts of one call may come over
// different loops. Thread-safe; only requests that a rule matches come here.
class SharedCalls {
 public:
  trace::Assignment at_head(const trace::Exchange& head);
  void over(const trace::Exchange& exchange);
  // Which connection to this service it is that this rule (by its number) counts, from 1. Beyond kMostCounted services
  // (those of a forward proxy are as many as clients name) one is counted anew for each that comes.
  int connection(std::size_t rule, std::string_view service);

 private:
  static constexpr std::size_t kMostCounted = 10'000;
  std::mutex mutex_;
  trace::Correlator correlator_;
  std::map<std::pair<std::size_t, std::string>, int> connections_;
};

// Decides by rules, the first that matches. Where none does it takes no lock and correlates nothing. One a loop.
class RuleDirector final : public Director {
 public:
  struct Place {
    std::uint64_t run = 0;   // of the trace: fault ids begin with it
    std::uint64_t seed = 0;  // of shares and spreads
    std::uint64_t loop = 0;  // which of how many: each draws for itself
    std::uint64_t loops = 1;
    Nanos began = 0;                 // on the clock: windows of the first rules are counted from here
    Safety* safety = nullptr;        // null: nothing holds faults back
    const Meters* meters = nullptr;  // for it
  };
  RuleDirector(std::shared_ptr<const Rules> rules, SharedCalls& calls, const Clock& clock, const Place& place);

  // From the next request on. A rule that was there before goes on, wherever it stands now: its windows, what it draws,
  // the connections that it counts. Any other begins anew.
  void follow(std::shared_ptr<const Rules> rules);
  bool awaits_body(const trace::Exchange& head) const override;
  Decision at_head(const trace::Exchange& head) override;
  ConnectDecision at_connect(const Connecting& connecting) override;
  bool reads_headers() const override { return rules_->strikes_requests && on(); }
  bool strikes() const override { return (rules_->strikes_requests || rules_->strikes_connections) && on(); }
  bool keeps_responses() const override { return rules_->keeps_responses && on(); }
  void over(const trace::Exchange& exchange) override;
  // Its fault is about to be put on the wire. The client may try again on another loop before this one gets to over().
  void firing(const trace::Exchange& exchange);

 private:
  const trace::Profile& profile_of(const trace::Exchange& head) const;
  std::string operation_of(const trace::Exchange& head) const;
  void follow(std::shared_ptr<const Rules> rules, Nanos now);
  bool on() const { return !place_.safety || place_.safety->on(); }
  bool fits(std::size_t rule, const trace::Exchange& head) const;
  template <class Fits>
  std::optional<std::size_t> first_for(const trace::Exchange& head, Fits fits) const;
  Decision decide(std::size_t rule, const trace::Exchange& head);
  bool may(std::size_t rule, std::string_view service);

  std::shared_ptr<const Rules> rules_;
  struct InForce {
    Nanos since;
    policies::Dice dice;
  };
  std::vector<InForce> in_force_;  // of each rule
  SharedCalls& calls_;
  const Clock& clock_;
  Place place_;
  std::unordered_set<std::uint64_t> told_;  // exchanges whose end SharedCalls knows already
  std::unordered_map<std::uint64_t, std::shared_ptr<RuleCounts>> planned_;  // exchanges with a fault, by whose rule
};

}  // namespace retrial::proxy
