#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkers/checker.h"
#include "checkers/deed.h"
#include "checkers/index.h"
#include "checkers/lists.h"
#include "checkers/world.h"
#include "trace/run.h"

namespace retrial::checkers {

// Holds checkers against exchanges, told in the order of their beginnings and ends. What it keeps is bounded: states of
// kMostStates resources a checker, kMostItems items a list; beyond that it forgets, and skips. Costs what the
// checkers of an exchange's operations cost, whatever has come before.
class Monitor {
 public:
  using Tell = std::function<void(const Outcome&)>;
  // The checkers must outlive it, and are what outcomes point to.
  Monitor(std::span<const Checker> checkers, Tell tell);

  // Whether it matters if this one is told: `looks`, a checker looks at it, and knows less without; `marks`, it may
  // have changed what one looks at, and must be told.
  enum class Concern : std::uint8_t { none, looks, marks };
  Concern concern_of(const trace::Exchange& e);
  // `e` must stay until it has ended. One that never ends is told without `ends`.
  void begins(const trace::Exchange& e);
  void ends(const trace::Exchange& e);

  // Whatever was known of this service: it may hold something else now.
  void forget(const std::string& service) { world_.forget(service, ++event_); }

  static constexpr std::size_t kMostStates = 10'000, kMostItems = 256;
  // A lease that is asked for again later than this may have run out: those of etcd, SQS and Azure Storage are given
  // for whole seconds.
  static constexpr Nanos kLeaseHolds = kSecond;

 private:
  using Event = World::Event;
  // What calls of W may have done since a number was read: of a call that succeeded once, of one that nobody knows of
  // at most once; of attempts that may be several calls, each.
  struct Share {
    double amount = 0;
    int least = 0, most = 0;
    std::uint64_t exchange = 0;
  };
  struct Item {
    std::string spot;
    Event set = 0;
    std::uint64_t exchange = 0;
  };
  struct State {
    Event set = 0;   // nothing else was written since
    Event read = 0;  // adds, keeps: when it was read
    Nanos at = 0;
    std::vector<std::vector<std::string>> values;  // by field: what may be answered; empty: anything
    std::vector<std::uint64_t> from;
    std::map<std::uint64_t, Share> shares;  // by call
    std::map<std::string, Item> items;      // of a list, by value
  };
  // The exchange that has just ended.
  struct Now {
    const Deed& d;
    Event begun, ended;
  };

  // What was written where the exchange that has just ended looked, or wrote: the same for all its checkers.
  struct Standing {
    Event last = 0;
    bool open = false;
  };

  Bodies asked_for(const std::vector<Index::Hit>& hits) const;
  State* find(std::size_t checker, const std::string& key);
  State& put(std::size_t checker, const std::string& key);
  void drop(std::size_t checker, const std::string& key) { states_[checker].erase(key); }
  Standing standing(const Checker& c, const Now& now);
  bool calm(const Checker& c, const Now& now, const std::string& spot, Event since);
  void tell(const Checker& c, const Field* f, Verdict verdict, const Now& now, const std::vector<std::uint64_t>& from,
            std::string value, std::string says);

  void wrote(std::size_t n, const Now& now);
  void answered(std::size_t n, const Now& now);
  // rules_after.cc
  void set_after(std::size_t n, const Now& now, const std::string& spot);
  void judge_reads_back(std::size_t n, const Now& now);
  void judge_gone(std::size_t n, const Now& now);
  void judge_excludes(std::size_t n, const Now& now);
  // rules_between.cc
  void add_share(std::size_t n, const Now& now, const std::string& spot);
  void judge_between(std::size_t n, const Now& now);
  void judge_adds(const Checker& c, const Now& now, const State& state, const Body& body);
  void judge_keeps(const Checker& c, const Now& now, const State& state);
  // rules_lists.cc
  void set_item(std::size_t n, const Now& now, const std::string& list);
  void judge_list(std::size_t n, const Now& now);
  // rules_alone.cc
  void judge_number(std::size_t n, const Now& now);
  void judge_same(std::size_t n, const Now& now);
  void judge_own(std::size_t n, const Now& now);

  std::span<const Checker> checkers_;
  Tell tell_;
  Index index_;
  World world_;
  Lists lists_;
  Event event_ = 0;
  std::array<std::optional<Standing>, 3> standing_;  // by Within, until the next exchange ends
  std::optional<Lists::Whole> whole_;                // the list that the exchange which has just ended completes
  struct Open {
    Deed deed;
    Event begun = 0;
    std::vector<Index::Hit> hits;
  };
  std::unordered_map<std::uint64_t, Open> open_;                // by exchange
  std::unordered_map<std::uint64_t, Event> unsure_;             // calls with an attempt of unknown fate: since when
  std::vector<std::unordered_map<std::string, State>> states_;  // by checker
};

// All of a run (of one with several tests, all of them).
void watch(std::span<const Checker> checkers, const trace::Run& run, const Monitor::Tell& tell);

bool looks_at_a_list(const Checker& c);  // at all of it, page by page

// `text` as a message shows it.
std::string in_marks(std::string_view text);

}  // namespace retrial::checkers
