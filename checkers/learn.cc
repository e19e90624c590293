#include "checkers/learn.h"

#include <algorithm>
#include <deque>
#include <set>

#include "checkers/elsewhere.h"
#include "checkers/grouping.h"
#include "checkers/leases.h"
#include "checkers/may_fall.h"
#include "checkers/monitor.h"
#include "checkers/propose.h"
#include "checkers/tally.h"
#include "trace/comparing/slices.h"

namespace retrial::checkers {
namespace {

// A candidate, and what it showed.
struct Told {
  Checker c;
  Tally tally;
};

struct Lesson {
  const trace::Run* run = nullptr;
  std::uint64_t suite = 0;  // the run that it is a part of; 0: a whole run, or one test alone, which only contradict
};

class Learner {
 public:
  Learner(const std::vector<const trace::Run*>& suite, const std::vector<const trace::Run*>& alone) : suite_(suite) {
    for (auto* run : suite) {
      for (auto& [test, slice] : trace::slices_of(*run)) {
        auto* result = trace::result_of(slice, test);
        if (!result || result->outcome != "passed" || slice.exchanges.empty()) continue;
        auto& kept = slices_.emplace_back(std::move(slice));
        tests_.insert(test);
        lessons_.push_back({&kept, run->id});
        propose(kept, test, candidates_);
        look_at(kept);
      }
      lessons_.push_back({run, 0});
    }
    for (auto* run : alone) lessons_.push_back({run, 0});
  }

  Learned learn() {
    std::vector<Checker> all;
    for (auto& [key, c] : candidates_)
      if (c.rule != Rule::unlisted || !c.fields.empty()) all.push_back(std::move(c));
    Learned out{.candidates = all.size(), .tests = tests_.size()};
    auto holding = holding_of(std::move(all), out);
    auto uncontradicted = checkers_of(holding);
    std::vector<Checker> good;
    for (auto& [c, tally] : holding) {
      auto lacks = lacking(c, tally, uncontradicted);
      if (!lacks.empty()) {
        if (is_said_by_another(c, holding))
          out.candidates--;
        else
          out.left.push_back({c, std::move(lacks)});
        continue;
      }
      out.weakened += c.within == Within::service;
      good.push_back(c);
      good.back().held = tally.total;
    }
    out.checkers = grouped(std::move(good));
    return out;
  }

 private:
  void look_at(const trace::Run& test) {
    std::vector<Deed> deeds;
    for (auto& e : test.exchanges) deeds.push_back(deed_of(e));
    std::ranges::stable_sort(deeds, {}, [](auto& d) { return d.e->begun; });
    elsewhere_.begins_test();
    leases_.begins_test();
    for (auto& d : deeds) {
      may_fall_.saw(d);
      elsewhere_.saw(d);
      leases_.saw(d);
    }
  }

  // Those that nothing contradicts, where nothing else was written at the service if it must be so.
  std::vector<Told> holding_of(std::vector<Checker> all, Learned& out) {
    std::vector<Told> holding;
    std::vector<Checker> again, like_them;
    for (auto& told : tell_all(std::move(all), out.checks))
      if (told.tally.fails == 0)
        holding.push_back(std::move(told));
      else if (could_be_narrower(told.c.rule))
        again.push_back(narrowed(std::move(told.c)));
      else
        out.contradicted++;
    elsewhere_.counted_by(checkers_of(holding));
    std::vector<Told> narrow;
    auto take_narrow = [&](std::vector<Checker> some) {
      for (auto& told : tell_all(std::move(some), out.checks)) {
        if (told.tally.fails) {
          out.contradicted++;
          continue;
        }
        if (told.tally.total) elsewhere_.shown_by(told.c);
        narrow.push_back(std::move(told));
      }
    };
    take_narrow(std::move(again));
    std::erase_if(holding, [&](auto& told) {
      bool moves = could_be_narrower(told.c.rule) && elsewhere_.may_change(told.c);
      if (moves) like_them.push_back(narrowed(std::move(told.c)));
      return moves;
    });
    take_narrow(std::move(like_them));
    std::ranges::move(narrow, std::back_inserter(holding));
    return holding;
  }
  static Checker narrowed(Checker c) {
    c.within = Within::service;
    return c;
  }
  static std::vector<Checker> checkers_of(const std::vector<Told>& told) {
    std::vector<Checker> out;
    for (auto& [c, tally] : told) out.push_back(c);
    return out;
  }

  std::string lacking(const Checker& c, const Tally& tally, const std::vector<Checker>& holding) const {
    auto lacks = lacks_of(c, tally, suite_.size());
    if (lacks.empty() && c.rule == Rule::never_falls) lacks = may_fall_.why(c, holding);
    if (lacks.empty() && c.rule == Rule::excludes) lacks = leases_.why_not(c);
    return lacks;
  }

  // "-5", where every call moves it by a number that it sends.
  bool is_said_by_another(const Checker& c, const std::vector<Told>& holding) const {
    if (c.rule != Rule::adds || !moves_by_constant(c.fields.front())) return false;
    return std::ranges::any_of(holding, [&](auto& told) {
      auto& other = told.c;
      return other.rule == Rule::adds && other.service == c.service && other.after == c.after && other.then == c.then &&
             other.fields.front().right == c.fields.front().right && !moves_by_constant(other.fields.front()) &&
             told.tally.total;
    });
  }

  static bool could_be_narrower(Rule rule) {
    return rule != Rule::echoes && rule != Rule::counts && rule != Rule::never_falls && rule != Rule::rises;
  }

  std::vector<Told> tell_all(std::vector<Checker> checkers, std::size_t& checks) {
    std::vector<Tally> tallies(checkers.size());
    for (auto& lesson : lessons_)
      watch(checkers, *lesson.run, [&](const Outcome& o) {
        auto& tally = tallies[static_cast<std::size_t>(o.checker - checkers.data())];
        checks++;
        if (o.verdict == Verdict::fail) tally.fails++;
        if (o.verdict != Verdict::pass || lesson.suite == 0) return;
        tally.passes[lesson.suite]++;
        tally.total++;
        tally.rises += o.value == "rose";
        if (tally.values.size() < Tally::kMostValues) tally.values.insert(o.value);
      });
    std::vector<Told> told;
    for (std::size_t n = 0; n < checkers.size(); n++) told.push_back({std::move(checkers[n]), std::move(tallies[n])});
    return told;
  }

  const std::vector<const trace::Run*>& suite_;
  std::deque<trace::Run> slices_;
  std::set<std::string> tests_;
  std::vector<Lesson> lessons_;
  Candidates candidates_;
  Elsewhere elsewhere_;
  MayFall may_fall_;
  Leases leases_;
};

}  // namespace

Learned learn(const std::vector<const trace::Run*>& suite, const std::vector<const trace::Run*>& alone) {
  return Learner(suite, alone).learn();
}

}  // namespace retrial::checkers
