// Layers that retry each for itself multiply: 3 attempts of an SDK inside 4 of the application's loop are 12 on the
// wire, and the service that is down gets them all. WASABI (SOSP'24) 2.2; "Addressing cascading failures", Google SRE.
// What tells layers apart stands in trace/comparing/retry_layers.h. A transport below that sends each attempt again at
// once where its connection breaks is a layer too, and so are two loops of the application's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <span>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "oracles/waits.h"
#include "trace/comparing/retrier.h"
#include "trace/comparing/retry_layers.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kRetryAmplification{
    .name = "retry-amplification",
    .severity = Severity::no_end,
    .title = "Retries multiply",
    .why = "Several layers retry the same call, and their attempts multiply just when the service is weak.",
    .remedy = "Let one layer retry, and switch the others off.",
};

constexpr std::size_t kRounds = 3;  // where gaps and counters alone tell layers apart, two may be chance
// What does one thing at a time, and the next one after a pause, makes rounds too, and retries in one layer: a worker
// goes on for more of them than loops that give up, a scheduler's pause is long and the same each time.
constexpr std::size_t kMostRounds = 10;
constexpr Nanos kTick = 30 * kSecond;
constexpr double kGrown = 1.5;  // of the longest such pause to the shortest: an outer back-off
constexpr double kPace = 1.1;   // of two times of one pace, the longer to the shorter

// A call as rounds of an inner layer, one round an attempt of the outer one.
struct Layers {
  std::vector<std::size_t> rounds;  // attempts of each
  trace::Confidence sure;
  std::string by;           // what the inner layer is
  bool of_runtime = false;  // nobody has set it up: a note
  bool by_gaps = false;     // alone
};

// Without faults the test asks for it as often as a round does, from the same line: it may do so side by side here,
// each with its own attempts.
bool may_be_side_by_side(const trace::Comparison& c, const trace::Call& call, std::size_t times) {
  auto alike = std::ranges::count_if(c.reference->exchanges, [&](auto& e) {
    return same_request(e, call.first()) && e.tag.site == call.first().tag.site && e.tag.test == call.first().tag.test;
  });
  return static_cast<std::size_t>(alike) >= times;
}

std::vector<std::size_t> rounds_of(const trace::Call& call, const std::vector<std::size_t>& starts) {
  std::vector<std::size_t> rounds;
  for (std::size_t i = 0; i < starts.size(); i++)
    rounds.push_back((i + 1 < starts.size() ? starts[i + 1] : call.attempts.size()) - starts[i]);
  return rounds;
}

// A whole round at least, and then the same again. The last may be cut short by the run's end or a budget.
bool multiplies(const std::vector<std::size_t>& r) {
  if (r.size() < 2 || r[0] < 2) return false;
  return std::all_of(r.begin(), r.end() - 1, [&](auto n) { return n == r[0]; }) && r.back() <= r[0];
}

// Did an agent see each round as one call of the library, which ended in a failure? One that ended well for it, and not
// for its caller (200, and an error in the body), is no layer below.
bool entered_once_a_round(const trace::Call& call, const std::vector<std::size_t>& rounds) {
  auto& id = call.first().tag.call_id;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < rounds.size(); i++)
    if (end += rounds[i]; is_success(call.attempts[end - 1]->client_status)) return false;
  return multiplies(rounds) && !id.empty() && call.attempts[1]->tag.call_id == id;
}

// Who sends again from one of these attempts to another; "" where that is not known.
std::string sender(const trace::Call& call, std::span<const std::size_t> attempts) {
  trace::Call some;
  for (auto i : attempts) some.attempts.push_back(call.attempts[i]);
  return trace::retrier(some);
}

// Are the rounds those of a scheduler, or of a worker that goes on?
// `times`: how often the outermost of its layers is gone through.
bool goes_on_for_ever(const trace::Call& call, const std::vector<std::size_t>& starts, std::size_t times) {
  Nanos least = INT64_MAX, most = 0;
  for (auto start : starts | std::views::drop(1)) {
    auto pause = call.attempts[start]->begun - call.attempts[start - 1]->told;
    least = std::min(least, pause);
    most = std::max(most, pause);
  }
  bool grows = static_cast<double>(most) >= kGrown * static_cast<double>(least);
  return times > kMostRounds || (!grows && most >= kTick);
}

// Without faults it asks there again after such a pause, or at such a distance, too, though it was answered well: these
// are the turns of what comes again anyway, and no layer.
bool keeps_its_pace(const trace::Comparison& c, const trace::Call& call, const std::vector<std::size_t>& rounds) {
  struct Turn {
    Nanos pause, distance;
  };
  auto alike = [](Nanos one, Nanos other) {
    auto [less, more] = std::minmax(one, other);
    return less > 0 && static_cast<double>(more) <= kPace * static_cast<double>(less);
  };
  auto& first = call.first();
  std::vector<Turn> usual;
  const trace::Exchange* before = nullptr;
  for (auto& e : c.reference->exchanges) {
    if (e.operation != first.operation || e.tag.site != first.tag.site || e.tag.test != first.tag.test) continue;
    if (before && is_success(before->client_status)) usual.push_back({e.begun - before->told, e.begun - before->begun});
    before = &e;
  }
  std::size_t start = 0;
  for (std::size_t i = 0; i + 1 < rounds.size(); i++) {
    auto next = start + rounds[i];
    Turn turn{call.attempts[next]->begun - call.attempts[next - 1]->told,
              call.attempts[next]->begun - call.attempts[start]->begun};
    start = next;
    auto is = [&](auto& u) { return alike(u.pause, turn.pause) || alike(u.distance, turn.distance); };
    if (std::ranges::none_of(usual, is)) return false;
  }
  return true;
}

// Rounds that somebody makes in rounds of their own: three layers.
struct Three {
  std::string outer, middle, inner;
  std::vector<std::size_t> rounds;  // of the middle layer, as far as they go on alike
};
std::optional<Three> three_layers(const trace::Call& call, const std::vector<std::size_t>& starts) {
  Three three{.outer = {},
              .middle = sender(call, std::span(starts).first(2)),
              .inner = sender(call, std::array{starts[0], starts[0] + 1}),
              .rounds = {1}};
  std::set<std::string> outer;
  for (std::size_t i = 1; i < starts.size(); i++) {
    auto by = sender(call, std::span(starts).subspan(i - 1, 2));
    if (by == three.middle) {
      three.rounds.back()++;
    } else {
      three.rounds.push_back(1);
      outer.insert(by);
    }
  }
  if (three.inner.empty() || three.middle.empty() || outer.size() != 1 || !multiplies(three.rounds)) return {};
  three.outer = *outer.begin();
  return three.outer.empty() ? std::nullopt : std::optional(three);
}

// Rounds whose attempts one library made, as somebody called it again, who may be two in turn: "rates.py:24 job 4
// times, in each tenacity 9.2.1 5 times, in each urllib3 2.8.0 5 times".
std::string entries(const std::optional<Three>& three, std::size_t attempts, std::string plain) {
  if (!three) return plain;
  return fmt::format("{} {}, in each {} {}, in each {} {}", three->outer, counted(three->rounds.size(), "time"),
                     three->middle, counted(three->rounds[0], "time"), three->inner, counted(attempts, "time"));
}

std::string calls_of_library(const trace::Call& call, const std::vector<std::size_t>& starts, std::size_t attempts) {
  auto library = sender(call, std::array{starts[0], starts[0] + 1});
  return entries(three_layers(call, starts), attempts,
                 "each is one call of " + (library.empty() ? "the library" : library));
}

// Two loops of the application's own, by which of its functions went on; a test's own is none of them.
std::optional<Layers> nested(const trace::Call& call) {
  auto starts = trace::nested_starts(call);
  auto rounds = rounds_of(call, starts);
  if (!multiplies(rounds)) return {};
  auto inner = sender(call, std::array{starts[0], starts[0] + 1});
  auto outer = sender(call, std::array{starts[0], starts[1]});
  if (inner.empty() || outer.empty() || inner == outer) return {};
  auto three = three_layers(call, starts);
  bool for_ever = goes_on_for_ever(call, starts, three ? three->rounds.size() : rounds.size());
  return Layers{rounds, for_ever ? trace::Confidence::possible : trace::Confidence::likely,
                entries(three, rounds[0], fmt::format("{} within {}", inner, outer))};
}

// A runtime's own client asks once more where its connection breaks (HttpURLConnection, xmlrpc.client), and so does
// aiohttp's: nobody set that up.
bool by_runtime(const trace::Call& call, const std::vector<std::size_t>& starts, std::size_t attempts) {
  auto library = sender(call, std::array{starts[0], starts[0] + 1});
  bool its_own = library.starts_with("Java ") || library.starts_with("Python ") || library.starts_with("aiohttp ");
  return its_own && attempts == 2 &&
         std::ranges::all_of(call.attempts, [](auto* e) { return e->ending != trace::Ending::answered; });
}

// "gaps of 20 ms to 25 ms within them, of 1.0 s to 1.1 s between"
std::string show_gaps(const trace::Call& call, const std::vector<std::size_t>& starts) {
  std::vector<Nanos> within, between;
  for (std::size_t i = 1; i < call.attempts.size(); i++) {
    bool begins = std::ranges::find(starts, i) != starts.end();
    (begins ? between : within).push_back(std::max<Nanos>(0, call.attempts[i]->begun - call.attempts[i - 1]->told));
  }
  auto range = [](auto& of) {
    if (of.empty()) return std::string("none");
    auto [least, most] = std::ranges::minmax(of);
    auto low = show_gap(least), high = show_gap(most);
    return low == high ? low : fmt::format("{} to {}", low, high);
  };
  return fmt::format("gaps of {} within them, of {} between", range(within), range(between));
}

// Two loops of the application's own, by the gaps that they leave.
std::optional<Layers> loops_of(const trace::Call& call) {
  auto starts = trace::round_starts(call);
  auto rounds = rounds_of(call, starts);
  if (rounds.size() < kRounds || !multiplies(rounds)) return {};
  // A transport sends once more where its connection breaks; on a busy machine that is not at once.
  bool broke = rounds[0] == 2 &&
               std::ranges::all_of(call.attempts, [](auto* e) { return e->ending != trace::Ending::answered; });
  return Layers{rounds,
                !goes_on_for_ever(call, starts, rounds.size()) && !broke ? trace::Confidence::likely
                                                                         : trace::Confidence::possible,
                show_gaps(call, starts), false, true};
}

std::optional<Layers> layers_of(const trace::Call& call) {
  auto resent = trace::resent_by_transport(call);
  std::vector<std::size_t> own;  // attempts of the client's own
  for (std::size_t i = 0; i < resent.size(); i++)
    if (!resent[i]) own.push_back(i);
  auto by_transport = rounds_of(call, own);
  if (own.size() < resent.size() && multiplies(by_transport))
    return Layers{by_transport, trace::Confidence::possible,
                  "the transport below sends each attempt again where its connection breaks", true};
  // Who goes from host to host waits after the last of them: that is one layer. So is a pause that the service chose.
  bool own_gaps = std::ranges::all_of(call.attempts, [&](auto* e) {
    return e->host == call.first().host && e->service == call.first().service && !told_to_wait(*e);
  });
  auto starts = trace::layer_starts(call);
  auto rounds = rounds_of(call, starts);
  bool seen = entered_once_a_round(call, rounds);
  if (!seen)
    if (auto loops = nested(call)) return loops;
  if (!seen && own_gaps)
    if (auto loops = loops_of(call)) return loops;
  if (!multiplies(rounds) || (!seen && (rounds.size() < kRounds || !own_gaps))) return {};
  bool runtime = seen && by_runtime(call, starts, rounds[0]);
  if (runtime && !own_gaps) return {};  // once more at each of several hosts
  bool likely = seen && !runtime;
  return Layers{rounds, likely ? trace::Confidence::likely : trace::Confidence::possible,
                seen ? calls_of_library(call, starts, rounds[0]) : "by its counters and gaps", runtime};
}

class RetryAmplification final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kRetryAmplification, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      if (call.attempts.size() < 4 || !std::ranges::all_of(call.attempts, [](auto* e) { return e->told != 0; })) return;
      auto layers = layers_of(call);
      if (!layers) return;
      auto& r = layers->rounds;
      bool side_by_side = layers->by_gaps && may_be_side_by_side(c, call, r[0]);
      if (side_by_side || keeps_its_pace(c, call, r)) layers->sure = trace::Confidence::possible;
      (layers->of_runtime ? judgement.notes : judgement.findings)
          .push_back(make_finding(
              compared, c, call, kRetryAmplification, std::min(layers->sure, call.confidence),
              fmt::format("{} was sent {}: {} rounds of {} ({}).", call.operation,
                          counted(call.attempts.size(), "time"), r.size(), counted(r[0], "attempt"), layers->by),
              "A right client retries in one layer alone: each layer that retries multiplies the load on a service "
              "that is down by its own number of attempts."));
    });
  }
};

}  // namespace

const Oracle& retry_amplification() {
  static const RetryAmplification oracle;
  return oracle;
}

}  // namespace retrial::oracles
