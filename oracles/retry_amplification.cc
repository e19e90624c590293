// Layers that retry each for itself multiply: 3 attempts of an SDK inside 4 of the application's loop are 12 on the
// wire, and the service that is down gets them all. WASABI (SOSP'24) 2.2; "Addressing cascading failures", Google SRE.
// Layers are told apart by the library calls that an agent saw, by a counter or id header that starts again, or by
// gaps: rounds of equal length with a pause of another kind between them.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/table.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

// A call as rounds of an inner layer, one round an attempt of the outer one.
struct Layers {
  std::vector<std::size_t> rounds;  // attempts of each
  trace::Confidence sure = trace::Confidence::likely;
  std::string by;  // what told them apart
};

constexpr Nanos kAtOnce = 20 * kMillisecond;
constexpr std::string_view kCounters[] = {"amz-sdk-request", "x-stainless-retry-count", "x-retry-count",
                                          "grpc-previous-rpc-attempts"};

// The number in a counting header ("attempt=2; max=3", "1"), or -1.
int counter(const trace::Exchange& e) {
  for (auto name : kCounters) {
    auto value = trace::find(e.request_headers, name);
    auto digit = value.find_first_of("0123456789");
    if (digit == value.npos) continue;
    int n = 0;
    for (auto c : value.substr(digit)) {
      if (c < '0' || c > '9' || n > 1000) break;
      n = n * 10 + (c - '0');
    }
    return n;
  }
  return -1;
}

Layers split(const trace::Call& call, auto begins, std::string by) {
  Layers layers{{1}, trace::Confidence::likely, std::move(by)};
  for (std::size_t i = 1; i < call.attempts.size(); i++)
    if (begins(*call.attempts[i - 1], *call.attempts[i]))
      layers.rounds.push_back(1);
    else
      layers.rounds.back()++;
  return layers;
}

// A whole round at least, and then the same again. The last may be cut short by the run's end or a budget.
bool multiplies(const Layers& layers) {
  auto& r = layers.rounds;
  if (r.size() < 2 || r[0] < 2) return false;
  return std::all_of(r.begin(), r.end() - 1, [&](auto n) { return n == r[0]; }) && r.back() <= r[0];
}

std::optional<Layers> layers_of(const trace::Call& call) {
  auto by_id = split(
      call,
      [](auto& before, auto& next) {
        return !before.tag.call_id.empty() && !next.tag.call_id.empty() && before.tag.call_id != next.tag.call_id;
      },
      "each round is one call of the library");
  if (multiplies(by_id)) return by_id;
  auto by_counter = split(
      call, [](auto& before, auto& next) { return counter(next) >= 0 && counter(next) < counter(before); },
      "the library's own counter starts again with each round");
  if (multiplies(by_counter)) return by_counter;
  auto by_gap = split(
      call, [](auto& before, auto& next) { return next.begun - before.told >= kAtOnce; },
      "the transport below sends each attempt again at once where its connection breaks");
  by_gap.sure = trace::Confidence::possible;
  bool broken = std::ranges::all_of(call.attempts, [](auto* e) { return e->client_status == 0; });
  if (broken && by_gap.rounds[0] == 2 && multiplies(by_gap)) return by_gap;
  return {};
}

class RetryAmplification final : public Oracle {
 public:
  std::string_view name() const override { return "retry-amplification"; }

  void judge(Cases cases, Opinion& opinion) const override {
    each_faulted(cases, [&](auto& exhibit, auto& c, auto& call) {
      if (call.attempts.size() < 4 || !std::ranges::all_of(call.attempts, [](auto* e) { return e->told != 0; })) return;
      auto layers = layers_of(call);
      if (!layers) return;
      auto& r = layers->rounds;
      opinion.findings.push_back(
          state(exhibit, c, call, "retry-amplification", std::min(layers->sure, call.confidence),
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
