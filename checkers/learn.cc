#include "checkers/learn.h"

#include <fmt/format.h>

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
    see_together(holding, out.contradicted);
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
      out.weakened += c.within != Within::resource;
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

  // Those that nothing contradicts: where nothing else was written at the service, or in other tests, if it must be so.
  std::vector<Told> holding_of(std::vector<Checker> all, Learned& out) {
    std::vector<Checker> narrower, narrowest, none;  // the last stays empty
    auto holding = uncontradicted(std::move(all), narrower, out);
    elsewhere_.counted_by(checkers_of(holding));
    auto narrow = uncontradicted(std::move(narrower), narrowest, out);
    for (auto& told : narrow)
      if (told.tally.total) elsewhere_.shown_by(told.c);
    auto like_them = taken_out(holding, Within::service, [&](auto& c) { return elsewhere_.may_change(c); });
    std::ranges::move(uncontradicted(std::move(like_them), narrowest, out), std::back_inserter(narrow));
    std::ranges::move(narrow, std::back_inserter(holding));

    auto of_tests = uncontradicted(std::move(narrowest), none, out);
    std::set<std::string> set_anew;  // services whose state tests set without a request
    for (auto& told : of_tests)
      if (lacks_of(told.c, told.tally, told.tally.values.size(), suite_.size()).empty())
        set_anew.insert(told.c.service);
    auto too = taken_out(holding, Within::test, [&](auto& c) { return set_anew.contains(c.service); });
    std::ranges::move(uncontradicted(std::move(too), none, out), std::back_inserter(of_tests));
    std::ranges::move(of_tests, std::back_inserter(holding));
    return holding;
  }
  // What is contradicted is tried once more where less may have been written, if it can be.
  std::vector<Told> uncontradicted(std::vector<Checker> all, std::vector<Checker>& again, Learned& out) {
    std::vector<Told> holding;
    for (auto& told : tell_all(std::move(all), out.checks))
      if (told.tally.fails == 0)
        holding.push_back(std::move(told));
      else if (could_be_narrower(told.c))
        again.push_back(within(told.c.within == Within::resource ? Within::service : Within::test, std::move(told.c)));
      else
        contradict(out, std::move(told));
    return holding;
  }
  static std::vector<Checker> taken_out(std::vector<Told>& holding, Within how, auto&& is_one) {
    std::vector<Checker> out;
    std::erase_if(holding, [&](auto& told) {
      bool one = could_be_narrower(told.c) && is_one(told.c);
      if (one) out.push_back(within(how, std::move(told.c)));
      return one;
    });
    return out;
  }
  static void contradict(Learned& out, Told told) {
    auto& t = told.tally;
    out.contradicted.push_back({std::move(told.c), t.total, std::move(t.failed_in), std::move(t.says)});
  }
  static Checker within(Within how, Checker c) {
    c.within = how;
    return c;
  }
  static std::vector<Checker> checkers_of(const std::vector<Told>& told) {
    std::vector<Checker> out;
    for (auto& [c, tally] : told) out.push_back(c);
    return out;
  }

  // What each candidate says the same as: the relation that it is of, and the habit.
  static std::vector<std::string> same_as(const Checker& c) {
    std::vector<std::string> all;
    if (speaks_of_members(c))
      all.push_back(fmt::format("{}\n{}\n{}\n{}", static_cast<int>(c.rule), c.service, c.after, c.then));
    if (may_be_a_habit(c))
      all.push_back(fmt::format("{}\n{}\n=\n{}\n{}", static_cast<int>(c.rule), c.service, c.fields.front().left,
                                c.fields.front().right));
    return all;
  }
  void see_together(const std::vector<Told>& holding, const std::vector<Learned::Contradicted>& contradicted) {
    for (auto& [c, tally] : holding)
      for (auto& said : same_as(c))
        for (auto& value : tally.values)
          if (!is_truth(value)) together_[said].values.insert(value);
    for (auto& one : contradicted)
      for (auto& said : same_as(one.checker))
        if (auto it = together_.find(said); it != together_.end()) it->second.fails = true;
  }
  std::size_t values_of(const Checker& c, const Tally& tally) const {
    auto most = tally.values.size();
    for (auto& said : same_as(c)) {
      auto it = together_.find(said);
      if (it == together_.end()) continue;
      if (it->second.fails) return tally.values.size();
      most = std::max(most, it->second.values.size());
    }
    return most;
  }

  std::string lacking(const Checker& c, const Tally& tally, const std::vector<Checker>& holding) const {
    auto lacks = lacks_of(c, tally, values_of(c, tally), suite_.size());
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

  static bool could_be_narrower(const Checker& c) {
    auto rule = c.rule;
    return c.within != Within::test && rule != Rule::echoes && rule != Rule::counts && rule != Rule::never_falls &&
           rule != Rule::rises;
  }

  static std::string test_of(const trace::Run& run, std::uint64_t exchange) {
    auto found = std::ranges::find(run.exchanges, exchange, &trace::Exchange::id);
    return found == run.exchanges.end() ? "" : found->tag.test;
  }

  std::vector<Told> tell_all(std::vector<Checker> checkers, std::size_t& checks) {
    std::vector<Tally> tallies(checkers.size());
    for (auto& lesson : lessons_)
      watch(checkers, *lesson.run, [&](const Outcome& o) {
        auto& tally = tallies[static_cast<std::size_t>(o.checker - checkers.data())];
        checks++;
        if (o.verdict == Verdict::fail && tally.fails++ == 0) {
          tally.failed_in = test_of(*lesson.run, o.exchange);
          tally.says = o.says;
        }
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
  std::map<std::string, Together> together_;  // by what they say alike
};

}  // namespace

Learned learn(const std::vector<const trace::Run*>& suite, const std::vector<const trace::Run*>& alone) {
  return Learner(suite, alone).learn();
}

}  // namespace retrial::checkers
