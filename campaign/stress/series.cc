#include "campaign/stress/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/fault_table.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

constexpr std::int64_t kMostListBytes = 4 << 20;   // of an answer whose lists were made longer, about
constexpr std::int64_t kMostBodyBytes = 64 << 20;  // of a body
constexpr std::int64_t kMostTimes = 1 << 16;       // as long as it was
constexpr std::int64_t kMostDrips = 16;            // times what the call's own time-outs add up to

std::string_view word_of(Of of) {
  switch (of) {
    case Of::entries:
      return "lists";
    case Of::pages:
      return "pages";
    case Of::errors:
      return "errors";
    case Of::bytes:
      return "bytes";
    case Of::drip:
    case Of::silence:
      return "drip";
  }
  return {};
}

bool is_json(const trace::Exchange& e) { return icontains(trace::find(e.response_headers, "content-type"), "json"); }

std::int64_t times_up_to(std::int64_t most, std::int64_t of) {
  std::int64_t times = 1;
  while (2 * times <= std::min(kMostTimes, most / of)) times *= 2;
  return times;
}

}  // namespace

bool is_of(const trace::Exchange& e, const trace::CaseRecord& row) {
  return e.operation == row.operation && e.service == row.service && e.tag.site == row.site;
}

std::string policy_of(const Series& series) { return fmt::format("{} {}", trace::kStressed, word_of(series.of)); }

std::string plan_of(const Series& series, std::int64_t size) {
  auto counted = [&](std::string_view fault) {
    return size < series.most ? fmt::format("{} x {}, then pass", fault, size) : std::string(fault);
  };
  switch (series.of) {
    case Of::entries:
      return fmt::format("grow({})", size);
    case Of::pages:
      return counted(trace::show({.name = trace::fault_row("another-page")->fault, .header = series.member}));
    case Of::errors:
      return counted("error(transient)");
    case Of::bytes:
      return fmt::format("lengthen({})", size);
    case Of::drip: {
      auto pieces = size * series.own / std::max<Nanos>(1, series.every);
      return fmt::format("drip({}, {}ms)", std::max<std::int64_t>(1, series.bytes / std::max<Nanos>(1, pieces)),
                         series.every / kMillisecond);
    }
    case Of::silence:
      return "stall";
  }
  return {};
}

std::vector<Series> series_of(const trace::CaseRecord& row, const trace::Run& reference) {
  std::int64_t list = 0, body = 0;
  bool answered = false;
  for (auto& e : reference.exchanges) {
    if (!is_of(e, row)) continue;
    auto bytes = static_cast<std::int64_t>(e.response_bytes);
    if (is_json(e) && e.response_sample.contains('[')) list = std::max(list, bytes);
    bool plain = !e.grpc.is && e.method != "HEAD" && e.service_status / 100 == 2;
    if (!is_json(e) && plain) body = std::max(body, bytes);
    answered |= plain;
  }
  std::vector<Series> all;
  if (list) all.push_back({.of = Of::pages, .most = kMostAdded, .member = page_member(reference, row)});
  all.push_back({.of = Of::errors, .most = kMostAdded});
  if (list) all.push_back({.of = Of::entries, .most = times_up_to(kMostListBytes, list)});
  if (body) all.push_back({.of = Of::bytes, .most = times_up_to(kMostBodyBytes, body), .bytes = body});
  if (answered) all.push_back({.of = Of::silence, .most = 1});
  std::erase_if(all, [](auto& s) { return s.most < 2 && s.of != Of::silence; });
  return all;
}

std::optional<Series> drip_after(const trace::CaseRecord& row, const trace::Run& silent, const trace::Run& reference) {
  auto load = trace::load_of(silent);
  Nanos first = 0;
  for (auto& e : silent.exchanges)
    if (e.fired && e.ending == trace::Ending::client_left && (!first || e.told - e.begun < first))
      first = e.told - e.begun;
  if (!load || silent.stop != trace::Stop::exited || first < 2 * kMillisecond) return {};
  Series drip{.of = Of::drip, .most = kMostDrips, .every = first / 2, .own = load->waited};
  for (auto& e : reference.exchanges)
    if (is_of(e, row)) drip.bytes = std::max(drip.bytes, trace::length_of_answer(e));
  return drip;
}

std::optional<std::int64_t> Sizes::next() const {
  if (over_ || next_ < 1 || runs_ >= kMostRuns || stood_out_ >= kEnough) return {};
  return next_;
}

void Sizes::saw(Seen seen, std::int64_t met) {
  runs_++;
  if (filled_) over_ = true;
  too_long_ |= seen == Seen::too_long;
  if (seen == Seen::stands_out) {
    stood_out_++;
    largest_ = std::max(largest_, next_);
  }
  if (seen == Seen::quiet) {
    filled_ = stood_out_ == kEnough - 1 && too_long_ && !over_;
    over_ = !filled_;
    next_ = largest_ + largest_ / 2;
    return;
  }
  next_ = std::min(next_, std::max<std::int64_t>(met, 1)) / 2;
}

}  // namespace retrial::campaign
