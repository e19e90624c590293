#include "checkers/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "checkers/may_fall.h"
#include "checkers/monitor.h"
#include "checkers/propose.h"
#include "trace/comparing/slices.h"

namespace retrial::checkers {
namespace {

constexpr std::size_t kValues = 2, kTruths = 4, kMoves = 3, kTwice = 2;

// What a candidate showed.
struct Tally {
  std::map<std::uint64_t, std::size_t> passes;  // in tests by themselves, by suite run
  std::set<std::string> values;                 // kTruths at most
  std::size_t rises = 0, fails = 0, total = 0;
  std::size_t most() const {
    std::size_t most = 0;
    for (auto& [run, n] : passes) most = std::max(most, n);
    return most;
  }
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
        for (auto& e : kept.exchanges) may_fall_.saw(deed_of(e));
      }
      lessons_.push_back({run, 0});
    }
    for (auto* run : alone) lessons_.push_back({run, 0});
  }

  Learned learn() {
    Learned out{.candidates = candidates_.size(), .tests = tests_.size()};
    std::vector<Checker> all;
    for (auto& [key, c] : candidates_)
      if (c.rule != Rule::unlisted || !c.fields.empty()) all.push_back(std::move(c));
    auto tallies = tell_all(all, out.checks);
    std::vector<Checker> kept, again;
    std::vector<Tally> kept_tallies;
    for (std::size_t n = 0; n < all.size(); n++) {
      if (tallies[n].fails == 0) {
        kept.push_back(all[n]);
        kept_tallies.push_back(tallies[n]);
      } else if (could_be_narrower(all[n].rule)) {
        again.push_back(all[n]);
        again.back().within = Within::service;
      } else {
        out.contradicted++;
      }
    }
    auto narrower = tell_all(again, out.checks);
    for (std::size_t n = 0; n < again.size(); n++) {
      if (narrower[n].fails) {
        out.contradicted++;
        continue;
      }
      kept.push_back(again[n]);
      kept_tallies.push_back(narrower[n]);
    }
    std::vector<Checker> good;
    auto holding = kept;
    for (std::size_t n = 0; n < kept.size(); n++) {
      auto lacks = lacks_of(kept[n], kept_tallies[n]);
      if (lacks.empty() && kept[n].rule == Rule::never_falls) lacks = may_fall_.why(kept[n], holding);
      if (!lacks.empty()) {
        out.left.push_back({std::move(kept[n]), std::move(lacks)});
        continue;
      }
      out.weakened += kept[n].within == Within::service;
      kept[n].held = kept_tallies[n].total;
      good.push_back(std::move(kept[n]));
    }
    out.checkers = merged(std::move(good));
    return out;
  }

 private:
  static bool could_be_narrower(Rule rule) {
    return rule != Rule::echoes && rule != Rule::counts && rule != Rule::never_falls && rule != Rule::rises;
  }

  std::vector<Tally> tell_all(const std::vector<Checker>& checkers, std::size_t& checks) {
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
        if (tally.values.size() < kTruths) tally.values.insert(o.value);
      });
    return tallies;
  }

  // Empty: nothing.
  std::string lacks_of(const Checker& c, const Tally& t) const {
    if (t.passes.size() < suite_.size()) return fmt::format("seen in {} of {} runs", t.passes.size(), suite_.size());
    bool truths = std::ranges::all_of(t.values, [](auto& v) { return v == "true" || v == "false" || v == "null"; });
    auto of = [](std::size_t had, std::size_t wanted, std::string_view what) {
      return had >= wanted ? "" : fmt::format("seen with {} of {} {}", had, wanted, what);
    };
    switch (c.rule) {
      case Rule::reads_back:
      case Rule::listed:
      case Rule::keeps:
      case Rule::echoes:
      case Rule::counts:
        if (auto few = of(t.values.size(), kValues, "values"); !few.empty()) return few;
        return truths && c.rule != Rule::counts ? of(t.total, kTruths, "times, as a truth value") : "";
      case Rule::adds:
        if (auto few = of(t.total, kMoves, "moves"); !few.empty()) return few;
        return is_constant(c.fields.front().left) ? "" : of(t.values.size(), kValues, "amounts");
      case Rule::becomes:
      case Rule::rises:
      case Rule::same_answer:
        return of(t.most(), kTwice, "times in one run");
      case Rule::never_falls:
        return of(t.rises, kTwice * suite_.size(), "rises");
      case Rule::gone:
      case Rule::unlisted:
      case Rule::excludes:
        return "";
    }
    return "";
  }
  static bool is_constant(const std::string& left) {
    return left.size() > 1 && left.find_first_not_of("0123456789.", 1) == left.npos;
  }

  // One for all fields of a rule and its operations; `adds` reads each number for itself.
  static std::vector<Checker> merged(std::vector<Checker> all) {
    std::vector<Checker> out;
    for (auto& c : all) {
      bool apart = c.rule == Rule::adds || c.rule == Rule::listed || c.rule == Rule::unlisted ||
                   c.rule == Rule::never_falls || c.rule == Rule::rises;
      auto same = std::ranges::find_if(out, [&](auto& known) {
        return !apart && known.rule == c.rule && known.service == c.service && known.after == c.after &&
               known.then == c.then && known.within == c.within;
      });
      if (same == out.end()) {
        out.push_back(std::move(c));
        continue;
      }
      same->fields.insert(same->fields.end(), c.fields.begin(), c.fields.end());
      same->held += c.held;
    }
    std::ranges::stable_sort(out, [](auto& a, auto& b) {
      return std::tie(a.service, a.after, a.then, a.rule) < std::tie(b.service, b.after, b.then, b.rule);
    });
    std::map<std::string, int> named;
    for (auto& c : out) {
      auto operation = c.then.empty() ? c.after : c.then;
      std::string words;
      for (char ch : operation)
        if (std::isalnum(static_cast<unsigned char>(ch)))
          words += static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
        else if (!words.empty() && words.back() != '-')
          words += '-';
      while (words.ends_with('-')) words.pop_back();
      c.name = fmt::format("{}-{}", show(c.rule), words);
      if (auto n = ++named[c.name]; n > 1) c.name += fmt::format("-{}", n);
    }
    return out;
  }

  const std::vector<const trace::Run*>& suite_;
  std::deque<trace::Run> slices_;
  std::set<std::string> tests_;
  std::vector<Lesson> lessons_;
  Candidates candidates_;
  MayFall may_fall_;
};

}  // namespace

Learned learn(const std::vector<const trace::Run*>& suite, const std::vector<const trace::Run*>& alone) {
  return Learner(suite, alone).learn();
}

}  // namespace retrial::checkers
