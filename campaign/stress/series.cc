#include "campaign/stress/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "campaign/stress/answer.h"
#include "trace/fault_table.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

constexpr std::int64_t kMostListBytes = 8 << 20;  // of an answer whose lists were made longer, about
constexpr std::int64_t kMostListTimes = 1 << 16;  // as long as they were
constexpr int kBatch = 4;                // requests of one operation: who begins them all anew for one sends so many
constexpr std::int64_t kMostDrips = 16;  // times what the call's own time-outs add up to

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

bool has_list(const trace::Exchange& e) { return answer_of(e).kind == Answer::Kind::list; }

std::int64_t list_times(std::int64_t bytes) {
  std::int64_t times = 1;
  while (2 * times <= std::min(kMostListTimes, kMostListBytes / std::max<std::int64_t>(1, bytes))) times *= 2;
  return times;
}

}  // namespace

bool is_of(const trace::Exchange& e, const trace::CaseRecord& row) {
  return e.operation == row.operation && e.service == row.service && e.tag.site == row.site;
}

std::string policy_of(const Series& series) {
  auto how = series.together ? " together" : series.one_of > 1 ? " apart" : "";
  return fmt::format("{} {}{}", trace::kStressed, word_of(series.of), how);
}

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
      return counted(series.one_of > 1 ? fmt::format("every {}: error(transient)", series.one_of) : "error(transient)");
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
  int requests = 0;
  bool answered = false;
  for (auto& e : reference.exchanges) {
    if (!is_of(e, row)) continue;
    requests++;
    auto kind = answer_of(e).kind;
    auto bytes = static_cast<std::int64_t>(e.response_bytes);
    if (kind == Answer::Kind::list) list = std::max(list, bytes);
    if (kind == Answer::Kind::body) body = std::max(body, bytes);
    answered |= !e.grpc.is && e.method != "HEAD" && e.service_status / 100 == 2;
  }
  std::vector<Series> all;
  if (list) all.push_back({.of = Of::pages, .most = kMostAdded, .member = page_member(reference, row)});
  all.push_back({.of = Of::errors, .most = kMostAdded});
  if (requests >= kBatch) all.push_back({.of = Of::errors, .most = kMostAdded, .one_of = requests});
  if (list) all.push_back({.of = Of::entries, .most = list_times(list)});
  if (body) all.push_back({.of = Of::bytes, .most = std::min(kMostBodyTimes, kMostBodyBytes / body), .bytes = body});
  if (answered) all.push_back({.of = Of::silence, .most = 1});
  std::erase_if(all, [](auto& s) { return s.most < 2 && s.of != Of::silence; });
  return all;
}

std::string why_none_grows(const trace::CaseRecord& row, const trace::Run& reference) {
  std::string_view why;
  for (auto& e : reference.exchanges) {
    if (!is_of(e, row)) continue;
    auto answer = answer_of(e);
    if (answer.kind != Answer::Kind::none) return {};
    if (!answer.why_none.empty()) why = answer.why_none;
  }
  return std::string(why);
}

std::optional<Together> together_in(const std::string& test, const trace::Run& reference) {
  std::optional<Together> all;
  std::int64_t longest = 0;
  std::set<std::string> calls;
  for (auto& e : reference.exchanges) {
    if (!has_list(e)) continue;
    longest = std::max(longest, static_cast<std::int64_t>(e.response_bytes));
    calls.insert(fmt::format("{} {} {}", e.tag.site ? trace::show(*e.tag.site) : "", e.service, e.operation));
    if (all) continue;
    all.emplace();
    all->row = {.policy = std::string(trace::kStressed),
                .test = test,
                .site = e.tag.site,
                .service = e.service,
                .operation = e.operation,
                .outcome = "planned"};
  }
  if (calls.size() < 2) return {};
  all->series = {.of = Of::entries, .most = list_times(longest), .together = true};
  all->calls.assign(calls.begin(), calls.end());
  return all->series.most < 2 ? std::nullopt : std::move(all);
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

}  // namespace retrial::campaign
