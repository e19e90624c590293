#include "oracles/read_twice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/exchange_members.h"
#include "oracles/members.h"
#include "trace/profiles/message.h"
#include "trace/status.h"

namespace retrial::oracles {
using trace::Exchange;

namespace {

constexpr std::size_t kLeastEntries = 2;
constexpr int kLeastRecords = 3;  // of a stream: 1 and 2 are many things' numbers

bool told_well(const Exchange& e) { return delivered(e) && is_success(e.service_status); }
bool same_read(const Exchange& a, const Exchange& b) {
  return a.method == "GET" && b.method == "GET" && a.service == b.service && a.target == b.target && a.pid == b.pid;
}

// What was read of pages a second time.
struct ReadAgain {
  std::size_t entries = 0;
  std::map<std::string, double> sums;  // of the entries' numbers, by their names
  Nanos until = 0;

  void add(const Exchange& page) {
    auto members = members_answered(page);
    std::size_t most = 0;
    for (auto& [list, length] : lengths_of_lists(members)) most = std::max(most, length);
    entries += most;
    for (auto& m : members)
      if (auto number = number_of(m.value); number && m.listed && m.kind == Member::Kind::number)
        sums[m.name] += *number;
    until = page.told;
  }
  bool is(double more) const {
    auto near = [&](double n) { return n > 0 && nearly(n, more); };
    return near(static_cast<double>(entries)) || std::ranges::any_of(sums, [&](auto& sum) { return near(sum.second); });
  }
};

ReadAgain read_again(const trace::Comparison& c, Nanos failed) {
  ReadAgain again;
  auto& all = c.in_case->exchanges;
  for (auto& e : all) {
    if (e.begun < failed || !told_well(e)) continue;
    bool before = std::ranges::any_of(
        all, [&](auto& o) { return o.told && o.told <= failed && told_well(o) && same_read(o, e); });
    auto usually = std::ranges::count_if(c.reference->exchanges, [&](auto& r) {
      return r.method == "GET" && r.operation == e.operation && r.target == e.target;
    });
    if (before && usually == 1) again.add(e);
  }
  return again;
}

std::string larger_by(const ReadAgain& again, const Exchange& usual, const Exchange& now) {
  auto was = members_sent(usual), is = members_sent(now);
  for (auto& m : was) {
    auto it = std::ranges::find(is, m.path, &Member::path);
    if (it == is.end() || m.listed || !may_count(m)) continue;
    auto before = number_of(m.value), here = number_of(it->value);
    if (before && here && again.is(*here - *before))
      return fmt::format("\"{}\": {}, and {} without the fault", m.name, it->value, m.value);
  }
  auto usual_lists = lengths_of_lists(was);
  for (auto& [list, length] : lengths_of_lists(is))
    if (auto it = usual_lists.find(list); it != usual_lists.end() && length == it->second + again.entries)
      return fmt::format("a list of {}, and of {} without the fault", length, it->second);
  return {};
}

// What came before a body broke, and all that there is of it.
struct Broken {
  double part = 0, whole = 0;
};
std::vector<Broken> broken(const Exchange& cut, const Exchange& whole) {
  std::vector<Broken> found;
  auto length = number_of(std::string(find(whole.response_headers, "content-length")));
  bool half = cut.fault.bytes == trace::kHalf;
  if (length && *length > 1)
    found.push_back({half ? std::floor(*length / 2) : static_cast<double>(cut.fault.bytes), *length});
  if (half && whole.grpc.is && whole.grpc.responses >= kLeastRecords)
    found.push_back({1, static_cast<double>(whole.grpc.responses)});
  auto lines = static_cast<double>(std::ranges::count(whole.response_sample, '\n'));
  if (half && !length && !whole.grpc.is && lines >= kLeastRecords &&
      whole.response_bytes == whole.response_sample.size())
    found.push_back({1, lines});
  return found;
}

}  // namespace

std::optional<CountedTwice> counted_with_part(const trace::Comparison& c, const trace::Call& read) {
  auto* beside = counterpart(c, read);
  auto at = first_fired(read);
  if (!beside || !trace::recovered(read) || at >= read.attempts.size()) return {};
  auto& cut = *read.attempts[at];
  if (cut.fault.point != trace::Point::in_body) return {};
  auto parts = broken(cut, beside->last());
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < read.last().told) continue;
    auto &usual = pair.reference->last(), &now = pair.in_case->last();
    if (trace::message::safe_method(now.method) || !trace::carried_out(usual) || !trace::carried_out(now)) continue;
    auto was = members_sent(usual), is = members_sent(now);
    for (auto& m : was) {
      auto it = std::ranges::find(is, m.path, &Member::path);
      auto before = number_of(m.value), here = it == is.end() ? std::nullopt : number_of(it->value);
      for (auto& [part, whole] : parts)
        if (before && here && nearly(*before, whole) && nearly(*here, whole + part))
          return CountedTwice{pair.in_case, "it was read again from its beginning",
                              fmt::format("{} in place of {}", it->value, m.value)};
    }
  }
  return {};
}

std::optional<CountedTwice> counted_twice(const trace::Comparison& c, const trace::Call& failed) {
  auto at = first_fired(failed);
  if (at >= failed.attempts.size() || failed.attempts[at]->told == 0 || failed.first().method != "GET") return {};
  auto again = read_again(c, failed.attempts[at]->told);
  if (again.entries < kLeastEntries) return {};
  for (auto& pair : c.pairs) {
    if (!pair.reference || !pair.in_case || pair.in_case->first().begun < again.until) continue;
    auto &usual = pair.reference->last(), &now = pair.in_case->last();
    if (trace::message::safe_method(now.method) || !trace::carried_out(usual) || !trace::carried_out(now)) continue;
    if (auto how = larger_by(again, usual, now); !how.empty())
      return CountedTwice{pair.in_case,
                          fmt::format("what had been read before it was read again ({} entries)", again.entries), how};
  }
  return {};
}

}  // namespace retrial::oracles
