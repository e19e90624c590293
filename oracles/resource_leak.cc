// What was made is not removed where a fault comes between, though it is removed without one. Rainmaker's resource
// oracle (NSDI'23, 4.3).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/held_by_rpc.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/registry.h"
#include "oracles/time_of_fault.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kResourceLeak{
    .name = "resource-leak",
    .severity = Severity::wrong_effect,
    .title = "What was made is left behind",
    .why = "Without the fault the client removes whatever it makes here; after the fault it did not.",
    .remedy = "Remove it on every way out: in a `finally`, a context manager, a `defer`.",
};

using trace::Call;
using trace::Comparison;
using trace::Confidence;

class ResourceLeak final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kResourceLeak, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases)
      for (auto* c : compared.comparisons)
        if (!c->faulted.empty() && !of_death(*c) && came_to_its_end(*c, test_of(compared, *c)) &&
            !may_be_thinned(*c->in_case) && !may_be_thinned(*c->reference))
          judge_case(compared, *c, judgement), judge_rpcs(compared, *c, judgement);
  }

 private:
  // A connection that the fault refused carries nothing: it may have been for the removal.
  static bool was_refused_after(const trace::Run& run, const trace::Exchange& made) {
    return std::ranges::any_of(run.connection_faults, [&](auto& f) {
      return f.fired && f.service == made.service && (f.at >= made.told || f.times > 1);
    });
  }

  // Its end came before it: nothing is missing, and order-violation says what came of that.
  static bool ended_while_held(const trace::Run& run, std::string_view path, const trace::Exchange& made) {
    return made.fired && trace::is_slowness(made.fault) && removal_of(run, path, made.begun).how == Removal::done;
  }

  static void judge_case(const ComparedCase& compared, const Comparison& c, Judgement& judgement) {
    if (std::ranges::none_of(c.reference->exchanges, removes)) return;
    Removals removals(*c.reference);
    std::map<std::pair<std::string, std::string>, const trace::Exchange*> usually;  // null: not all; or it was told
    for (auto& call : c.case_calls) {
      auto path = made_by_one(removals, call);
      if (path.empty()) continue;
      auto [place, fresh] = usually.try_emplace({call.site, call.operation});
      if (fresh) place->second = always_removed(c, removals, call);
      auto* usual = place->second;
      if (!usual || goes_with_another(removals, *usual, path)) continue;
      auto removed = removal_of(*c.in_case, path, call.last().told, c.reference);
      if (removed.how == Removal::done || removed.how == Removal::perhaps) continue;
      if (ended_while_held(*c.in_case, path, call.last())) continue;
      bool not_asked = removed.how == Removal::given_up && usual->method == "DELETE" && removed.by->method != "DELETE";
      if (not_asked) removed.how = Removal::never;  // it could not be finished, and was not removed either
      if (did_otherwise(c, call.last().told)) continue;
      if (removed.how == Removal::never && was_refused_after(*c.in_case, call.last())) continue;
      auto confidence = how_sure(compared, c, call, *usual, removed.how);
      if (!confidence) continue;
      place->second = nullptr;
      auto& faulted = blamed(c, call);
      auto became = removed.how == Removal::given_up ? "its removal did not come to the service"
                    : usual->method == "DELETE"      ? "nothing that was sent afterwards removes what was made"
                                                     : "nothing that was sent afterwards ends it or gives it up";
      judgement.findings.push_back(make_finding(
          compared, c, call, kResourceLeak, *confidence,
          fmt::format("{} made {}; of {} {}, and {}. Without the fault each that is made here is {} ({}).",
                      call.operation, shorten(path, 80), faulted.operation,
                      what_was_done(faulted, first_fired(faulted)), became,
                      usual->method == "DELETE" ? "removed" : "ended", usual->operation),
          "A right client removes what it has made on every way out, or tells its caller that it is still there."));
    }
  }

  // What an RPC takes and another gives up, by their names.
  static void judge_rpcs(const ComparedCase& compared, const Comparison& c, Judgement& judgement) {
    std::set<std::pair<std::string, std::string>> told;
    for (auto& call : c.case_calls) {
      auto& taking = call.last();
      if (!taking.grpc.is || !delivered(taking) || !trace::carried_out(taking)) continue;
      if (std::ranges::count_if(call.attempts, [](auto* e) { return trace::executed(*e); }) != 1) continue;
      auto [taken, giving] = always_given_up(c, call);
      if (!giving || told.contains({call.site, call.operation})) continue;
      auto it = std::ranges::find_if(c.faulted,
                                     [&](auto* f) { return !trace::recovered(*f) && f->first().begun >= taking.told; });
      if (it == c.faulted.end()) continue;
      auto* gave = given_up_by(*c.in_case, taking);
      bool tried = gave && !trace::carried_out(*gave) && !is_gone(*gave);
      if (gave && !tried) continue;
      auto confidence = how_sure(compared, c, call, *giving, tried ? Removal::given_up : Removal::never);
      if (!confidence) continue;
      told.insert({call.site, call.operation});
      auto& faulted = **it;
      auto what = name_of_held(*taken, *giving, taking);
      judgement.findings.push_back(make_finding(
          compared, c, call, kResourceLeak, *confidence,
          fmt::format(
              "{} took {}; of {} {}, and {}. Without the fault what is taken here is given up ({}).", call.operation,
              what.empty() ? "what it asked for" : what, faulted.operation,
              what_was_done(faulted, first_fired(faulted)),
              tried ? "what gives it up did not come to the service" : "nothing that was sent afterwards gives it up",
              giving->operation),
          "A right client gives up what it has taken on every way out, or tells its caller that it is still held."));
    }
  }
  struct GivenUp {
    const trace::Exchange* taken = nullptr;
    const trace::Exchange* giving = nullptr;  // null: not all that is taken there is given up
  };
  static GivenUp always_given_up(const Comparison& c, const Call& like) {
    GivenUp found;
    for (auto& call : c.reference_calls) {
      if (call.site != like.site || call.operation != like.operation || !trace::carried_out(call.last())) continue;
      auto* gave = given_up_by(*c.reference, call.last());
      if (!gave || !trace::carried_out(*gave)) return {};
      found = {&call.last(), gave};
    }
    return found;
  }

  // The fault that came between: one that was not got over, after it was made.
  static const Call& blamed(const Comparison& c, const Call& making) {
    auto it = std::ranges::find_if(
        c.faulted, [&](auto* call) { return !trace::recovered(*call) && call->first().begun >= making.last().told; });
    return it == c.faulted.end() ? *c.faulted.front() : **it;
  }

  // What it made and knows the name of: it has chosen it, or was told. Where it was made twice other verdicts speak.
  static std::string made_by_one(const Removals& removals, const Call& call) {
    if (std::ranges::count_if(call.attempts, [](auto* e) { return had_effect(*e); }) != 1) return {};
    auto& last = call.last();
    auto made = removals.made_by(last);
    return delivered(last) || made == trace::message::path_of(last.target) ? made : "";
  }

  // Does the reference remove it with what it lies in, which was made there too? Then that is what is left behind.
  static bool goes_with_another(const Removals& removals, const trace::Exchange& removal, std::string_view path) {
    auto removed = trace::message::path_of(removal.target);
    return path.size() > removed.size() + 1 && removals.made(removed);
  }

  // The removal of the last, if the reference removes all that it makes at this place.
  static const trace::Exchange* always_removed(const Comparison& c, const Removals& removals, const Call& like) {
    const trace::Exchange* by = nullptr;
    for (auto& call : c.reference_calls) {
      if (call.site != like.site || call.operation != like.operation) continue;
      auto path = removals.made_by(call.last());
      if (path.empty()) continue;
      auto removed = removal_of(*c.reference, path, call.last().told);
      if (removed.how != Removal::done) return nullptr;
      by = removed.by;
    }
    return by;
  }

  // A lease with a time to live, which 0 is none: who could not give it up may leave it to that.
  static bool ends_by_itself(const trace::Exchange& making) {
    static constexpr std::array<std::string_view, 8> kWords{"ttl",    "expire",  "expires",  "expiry",
                                                            "second", "minutes", "lifetime", "until"};
    auto tells = [&](const std::string& body) {
      return std::ranges::any_of(members_of(body), [&](auto& m) {
        auto number = number_of(m.value);
        return has_word(m.name, kWords) && m.value != "false" && (!number || *number > 0);
      });
    };
    return tells(making.request_sample) || tells(making.response_sample);
  }

  // Nothing: it may be the test's own doing, which stopped before it came to that.
  static std::optional<Confidence> how_sure(const ComparedCase& compared, const Comparison& c, const Call& call,
                                            const trace::Exchange& usual, Removal how) {
    bool passed = trace::result_of(*c.in_case, test_of(compared, c))->outcome == "passed";
    auto &making = call.first().tag.site, &removing = usual.tag.site;
    if (making && in_tests(making->file, compared.row->test)) return {};
    bool ends = ends_by_itself(call.last());
    // Who was not told that it is his leaves it to that, too.
    bool told = std::ranges::none_of(call.attempts, [](auto* e) { return e->fired; });
    if (ends && (how == Removal::given_up || !told)) return {};
    if (how == Removal::given_up) return passed ? std::optional(Confidence::possible) : std::nullopt;
    bool command = compared.row->test.empty();  // nobody else is there to remove it
    bool own = command || (making && removing && in_one_function(*making, *removing, compared.row->test));
    if (!passed && !own) return {};
    return ends ? Confidence::possible : Confidence::likely;
  }
};

}  // namespace

const Oracle& resource_leak() {
  static const ResourceLeak oracle;
  return oracle;
}

}  // namespace retrial::oracles
